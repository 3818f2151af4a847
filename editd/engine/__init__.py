"""One edit from request to result: the package to read first.

The only one that names prompts, decode, diff and checks together. Knows no socket, no LSP and no
device. ``Engine`` turns requests into jobs; a job advances in units (load a model, one prefill
chunk, one round), so that its caller can act between two of them: to cancel, to report,
or to let a more urgent job go first. ``edit_job.EditJob`` is the story; the rest are its parts.
"""

from editd.engine.engine import Engine
from editd.engine.job import Job

__all__ = ["Engine", "Job"]
