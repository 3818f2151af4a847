"""Logits to choices: filters, noise keyed by position, the rejection rule."""
