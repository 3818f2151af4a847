"""A model's files: found, read, planned before they are loaded, and placed on devices."""
