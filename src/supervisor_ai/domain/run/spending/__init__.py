"""What a run may spend and what it has spent: budgets, prices, token counts."""
