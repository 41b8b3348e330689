"""The shapes of what is spent: budgets and prices."""
