"""Signs that an answer is bad although it was decoded faithfully."""
