"""Running a loaded model: sequences of tokens, forward passes, choices."""
