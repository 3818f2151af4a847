"""A model's files: found, read, reckoned with before they are loaded, and placed on devices."""
