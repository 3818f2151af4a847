"""How an edit is done: computed from its words, merged from its sketch, or written by a model.

``plan`` shows the order in which these are tried, for all front ends and for the engine, and is the only caller of
``refactor.computed`` and ``apply.resolve``. It computes and merges; asking the model is left to its callers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from editd.diff.hunk import Hunk
from editd.errors import EditdError
from editd.messages import EditRequest, EditResult
from editd.messages.options import Doubtful
from editd.refactor.computed import compute_edit, compute_follow_up, split_request

AMBIGUOUS = "The sketch is ambiguous, so the model merges it: {}"


def plan(request: EditRequest, *, words_first: bool) -> Plan:
    """Compute or merge the edit if no model is needed (``Computed``); else return its clauses, to be done one by one,
    if the first of several can be computed (``OneByOne``), or what to ask the model (``AskModel``).

    words_first: read the words even if ``request.options.way`` is not set; without either, only a sketch is looked at.
    Raises ``EditRefused`` for a sketch that no model may or could decide and for a way that the edit does not have, and
    ``UsageError`` for a sketch that is too large.
    """
    if request.sketch is not None:
        return _merge(request)
    if not (words_first or request.options.way is not None):
        return AskModel(request)
    computed = compute_edit(request) if request.based_on is None else compute_follow_up(request)
    if computed is not None:
        return Computed(computed)
    clauses = split_request(request)
    if clauses and compute_edit(clauses[0]) is not None:
        return OneByOne(clauses)
    return AskModel(request, clauses=clauses)


def likeliest_reading(request: EditRequest) -> EditResult | None:
    """The edit that the words of ``request`` most likely mean, in spite of a doubt; ``None`` if it has a way, or the words
    have no literal meaning, change nothing or must not be carried out.
    """
    if request.options.way is not None:
        return None
    computed = compute_edit(replace(request, options=replace(request.options, way="words")))
    return computed if computed is not None and computed.hunks else None


@dataclass(frozen=True, slots=True)
class Computed:
    """An edit that is done: ``result`` has its text, or the reason why it must not be done."""

    result: EditResult


@dataclass(frozen=True, slots=True)
class OneByOne:
    """An edit of several clauses, to be planned and done in this order, each on the text that the one before it left."""

    clauses: tuple[EditRequest, ...]


@dataclass(frozen=True, slots=True)
class Hints:
    """The part of a sketch that no model needs to decide.

    certain: hunks that are in every reading of the sketch, in order. doubtful: the regions that are left, in order.
    Both are empty if the model decides on the whole text. notice: why a model is asked, for the user; empty without
    an ambiguous sketch.
    """

    certain: tuple[Hunk, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class AskModel:
    """An edit for the model.

    request: the planned request, with ``doubt`` set if its sketch is ambiguous. hints: for the engine, which asks
    the model. clauses: as in ``OneByOne``, for a model that refuses all of them at once; empty if there is only one.
    found_doubt: ``plan`` found the doubt, so the client that sent the request does not know it.
    """

    request: EditRequest
    hints: Hints = field(default_factory=Hints)
    clauses: tuple[EditRequest, ...] = ()
    found_doubt: bool = False

    def explain(self, error: EditdError) -> EditdError:
        """``error`` with the reason why a model was asked before it; ``error`` itself unless ``found_doubt``."""
        if not self.found_doubt:
            return error
        from editd.apply.resolve import with_ambiguity

        return with_ambiguity(self.request, error)


Plan = Computed | OneByOne | AskModel


def is_best_reading(request: EditRequest, result: EditResult) -> bool:
    """Whether ``result`` is the likeliest of several readings of the request's sketch, merged
    without a model; false for a request without a sketch.
    """
    if request.sketch is None:
        return False
    from editd.apply.resolve import is_doubtful_merge

    return is_doubtful_merge(result)


def _merge(request: EditRequest) -> Computed | AskModel:
    """Merge the sketch; ``AskModel`` if a model is to merge it, with its doubt, if it has one, and the hints in that.
    Raises as ``plan``.
    """
    from editd.apply.resolve import (
        resolve_sketch,
    )  # few edits have a sketch, and loading it takes long

    merged = resolve_sketch(request)
    if isinstance(merged, EditResult):
        return Computed(merged)
    found = merged.doubt is not None and request.doubt is None
    return AskModel(merged, _hints(merged), found_doubt=found)


def _hints(request: EditRequest) -> Hints:
    """The hints in ``request.doubt``, the sketch's hunks that are certain, the regions that only a
    model can decide and a notice: empty without a doubt; only the notice if lines are selected,
    since nothing else may change, or the doubt names no such region.
    """
    doubt = request.doubt
    if doubt is None:
        return Hints()
    notice = AMBIGUOUS.format(doubt.reason)
    is_whole = request.start_line is None and request.end_line is None
    if not (doubt.doubtful and is_whole):
        return Hints(notice=notice)
    return Hints(doubt.certain, doubt.doubtful, notice)
