"""Sources by their syntax: test items among the product, and what is left of a module emptied."""
