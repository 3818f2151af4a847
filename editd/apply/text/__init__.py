"""The file's lines: indexed for comparison, their indentation, and the same lines while an answer is taken block by block."""
