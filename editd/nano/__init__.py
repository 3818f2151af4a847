"""The small model of our own."""
