"""How often a computed chore is right; see ``__main__``."""
