"""Logits to choices, for every backend: filters, noise keyed by position, the rejection rule.

``choose`` makes a target's choices, ``draw`` a draft model's. Written once for numpy arrays and torch
tensors (``arrays``): the same logits give the same tokens.
"""

from editd.models.sampling.choices import choose, draw

__all__ = ["choose", "draw"]
