"""A loaded model at work: sequences of tokens, forward passes, choices."""
