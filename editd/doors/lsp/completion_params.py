"""The params and the answer of ``editd/complete``: OpenAI's chat completions, and a few of ours.

As ``methods.py`` for the other methods, but fields are spelt on the wire as they are here.
OpenAI's own are in ``completions.words``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from editd.doors.completions.words import ANSWERS, ChatParams, Choice, Usage
from editd.messages import EditOptions, Stats


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteParams(ChatParams):
    """Write what the assistant says next.

    drafter: by default ``buffer+suffix`` with a prediction, else ``suffix``. options: as of
    ``editd/edit``; OpenAI's fields win.
    """

    drafter: str | None = None
    options: EditOptions = field(default_factory=EditOptions)
    work_done_token: str | int | None = field(default=None, metadata={"wire": "workDoneToken"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteAnswer:
    """choices: always one. notices: sentences for the user. stats: the figures, as of an edit."""

    object: Literal["chat.completion"] = "chat.completion"
    model: str
    choices: tuple[Choice, ...]
    usage: Usage
    notices: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)


# What has a name of two words: ``wire.py`` would make camelCase of it.
AS_SPELT = (CompleteParams, CompleteAnswer, *ANSWERS)
