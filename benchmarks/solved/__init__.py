"""The demo model: a stock causal LM whose weights are solved so that it knows some edits by heart.

It shows editd where nothing can be downloaded, and says so: its ``editd.json`` lists what it
knows and ``manifest.refusal`` turns everything else away. Reading order: ``edits`` (what is to be
known), ``tokenizer``, ``script`` (token ids as the product feeds them), ``rope`` (attention by
distance), ``solve`` (the weights), ``checkpoint`` (the folder), ``cache`` (solved once a machine).
docs/explanation/demo-model.md tells how and why. ``manifest`` and ``edits`` need no torch.
"""

from collections.abc import Callable

Report = Callable[[str, float], None]
"""Progress: called with one sentence and how much of the work is done, 0 to 1."""
