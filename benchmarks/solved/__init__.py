"""The solved model: a stock causal LM whose weights are solved so that it knows some edits by heart.

A fixture of tests and benchmarks, which need a real model where nothing can be downloaded. For
anything but the edits of its ``editd.json`` it writes nonsense. Reading order: ``edits`` (what is to
be known), ``tokenizer``, ``script`` (token ids as the product feeds them), ``rope`` (attention by
distance), ``solve`` (the weights), ``checkpoint`` (the folder), ``cache`` (solved once a machine).
docs/explanation/solved-model.md tells how and why. ``manifest`` and ``edits`` need no torch.
"""

from collections.abc import Callable

Report = Callable[[str, float], None]
"""Progress: called with one sentence and how much of the work is done, 0 to 1."""
