"""Public API of Python: modules, what they define and what they re-export."""
