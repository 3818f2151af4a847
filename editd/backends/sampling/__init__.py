"""Logits to choices, for every backend: filters, noise keyed by position, the rejection rule.

``choose`` is what a target takes, ``draw`` what a draft model says. Written once for numpy's arrays and
torch's tensors (``arrays``): the same logits give the same tokens.
"""

from editd.backends.sampling.choices import choose, draw

__all__ = ["choose", "draw"]
