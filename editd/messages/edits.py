"""An edit: its request, its messages while it grows, and its result; and the warm-up before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk, Op, Replacement
from editd.errors import FinishReason
from editd.messages.conversation import ErrorInfo
from editd.messages.options import EditOptions, Priority
from editd.messages.stats import Stats
from editd.messages.ways import BY_MODEL, Way

Merge = Literal["auto", "text", "certain", "model"]


@dataclass(frozen=True, slots=True)
class ContextItem:
    """Something besides the buffer that the model should see."""

    kind: Literal["diagnostic", "definition", "recent-edit", "note"]
    text: str
    path: str = ""
    start_line: int | None = None  # 0-based
    end_line: int | None = None  # exclusive


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A part of the sketch that has several places, or none.

    start, end: the buffer's lines between the certain parts around it, 0-based, end exclusive. No
    certain hunk touches these lines, and two doubtful parts never overlap. sketch: the part's lines
    without ends, with the marker lines above and below it if the sketch has them.
    """

    start: int
    end: int
    sketch: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InDoubt:
    """A sketch can mean several texts, or none.

    reason: one sentence for the user that says what to do. line: 0-based line of the paste that the
    doubt is about, ``None`` if it is about the whole paste. final: a model could not decide either.
    certain: hunks that every reading of the sketch shares, in order; they can be used as they are.
    doubtful: the parts left to decide, in the buffer's order. Both are empty if the doubt is about the
    whole paste.
    """

    reason: str
    line: int | None = None
    final: bool = False
    certain: tuple[Hunk, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Rewrite ``text`` as ``instruction`` says.

    text: the whole buffer, exactly as the client has it (line ends, BOM and all).
    path: its name, for the prompt and the language; nothing is ever read from it.
    document: what a newer edit supersedes an older one of (a URI); empty: never.
    start_line, end_line: 0-based, end exclusive: only these lines may change. ``None``: all.
    prediction: text expected instead of the buffer. ``None``: the buffer.
    based_on: the answer of an earlier edit of this text, for *refine* and *retry*.
    workspace_root: folder of a project that the user trusts, whose files may be drafted from; the
        client vouches for it. Empty: none.
    sketch: an abbreviated change to merge into ``text``; the instruction may then be empty.
        ``None``: there is none.
    merge: how the sketch is merged: ``text`` never asks a model, ``certain`` neither and refuses what can
        mean several texts, ``model`` always asks one, ``auto`` only if no reading is likely.
    doubt: why it is in doubt, if the client has merged it already; then it is not merged as text again.
    """

    request_id: str
    text: str
    instruction: str
    path: str = ""
    language_id: str = ""
    document: str = ""
    start_line: int | None = None
    end_line: int | None = None
    prediction: str | None = None
    context: tuple[ContextItem, ...] = ()
    based_on: str | None = None
    workspace_root: str = ""
    options: EditOptions = EditOptions()
    priority: Priority = "interactive"
    sketch: str | None = None
    merge: Merge = "auto"
    doubt: InDoubt | None = None

    @property
    def asks_model(self) -> bool:
        """Whether a model merges the sketch even if it is unambiguous."""
        return self.merge == "model" or self.options.way in BY_MODEL


@dataclass(frozen=True, slots=True)
class WarmupRequest:
    """Load the model and prefill this buffer; answered by ``Done`` when it is warm."""

    request_id: str
    text: str
    path: str = ""
    language_id: str = ""
    document: str = ""
    start_line: int | None = None
    end_line: int | None = None
    workspace_root: str = ""
    options: EditOptions = EditOptions()


@dataclass(frozen=True, slots=True)
class Delta:
    """What became known since the last delta, in the order of the old text.

    ``Keep`` and done hunks walk through the old lines without gaps; a hunk that is not done stands
    where the walk has come to and is sent again, grown, with the same id. ``seq`` counts them from
    0; one that the next says again may be left out on the way to a slow reader.
    """

    request_id: str
    seq: int
    ops: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class EditResult:
    """The one answer to an ``EditRequest``.

    ``text`` is the new text of the whole buffer; ``None`` unless ``finish_reason`` is ``stop``.
    ``hunks`` and ``edits`` say the same change in lines and in code-point offsets; ``suspects``
    names every doubt of the checks, those about a hunk stand on the hunk as well. ``summary``: one
    line about the whole edit, or empty. ``ways``: what can be done instead, best first.
    """

    request_id: str
    finish_reason: FinishReason
    text: str | None = None
    hunks: tuple[Hunk, ...] = ()
    edits: tuple[Replacement, ...] = ()
    suspects: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()  # plain sentences for the user (scope chosen, fallbacks)
    stats: Stats = Stats()
    model: str = ""
    error: ErrorInfo | None = None
    summary: str = ""
    ways: tuple[Way, ...] = ()
