"""Reasons against a reading, how much each lowers its confidence, and which of them people see."""
