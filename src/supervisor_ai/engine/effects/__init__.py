"""How each kind of effect is performed."""
