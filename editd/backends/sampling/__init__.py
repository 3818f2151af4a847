"""Logits to choices in numpy, for backends whose logits come as plain rows of numbers.

The same logits give the same tokens as in ``backends.torch``: the same filters in the same order, and
noise keyed by seed and position. ``choose`` is what a target takes, ``draw`` what a draft model says.
"""

from editd.backends.sampling.choose import choose, draw

__all__ = ["choose", "draw"]
