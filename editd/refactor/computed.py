"""Computed edits: answers a request by its words alone, with a normal ``EditResult`` and no model.

Decided here, for every client, is which requests words alone answer, and which of several candidates that is.
``readings`` finds the candidates. Texts in here are the model's: LF, no BOM.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from editd.diff.document import Document
from editd.diff.edits import apply, trimmed
from editd.diff.hunk import Hunk, Origin
from editd.diff.matching import changes
from editd.errors import EditRefused
from editd.intent import Parsed, parse
from editd.messages import EditRequest, EditResult, ErrorInfo
from editd.messages.options import ways_from
from editd.messages.reports import Stats
from editd.refactor.by_kind import candidates_by_kind, contradicts_kind
from editd.refactor.candidates import Candidates
from editd.refactor.companion_imports import with_companion_imports
from editd.refactor.locations import definitions_around
from editd.refactor.one_by_one import candidates_one_by_one
from editd.refactor.readings import candidates_for
from editd.refactor.without_asides import candidates_without_asides
from editd.syntax.code import read_code
from editd.syntax.language import language_of
from editd.syntax.python_text import Function, docstring_of

_WAYS = (None, "words", "resembling")
_COMPUTED = "Computed from the words, without a model."
_NOTHING_TO_DO = "There is nothing to change."
_MOST_LINES = 6  # named in a sentence


def compute_edit(request: EditRequest) -> EditResult | None:
    """The edit that the words of ``request`` decide, of several requests in it all; or a result with the status
    ``refused`` and the reason why it must not be done. The result has no hunks if nothing is to change.

    ``None`` if a model is to be asked: there are no words, they decide nothing or leave a doubt, the change reaches
    beyond the selection and cannot be limited to a definition in or around it, or the request has a sketch, a
    prediction, an edit it is based on, or another way than these: ``words`` takes the likeliest in spite of a doubt,
    ``resembling`` changes what resembles it, too, in spite of a doubt.
    """
    started = monotonic()
    way = request.options.way
    if way not in _WAYS or not _has_only_words(request) or not request.instruction.strip():
        return None
    document = Document.of(request.text)
    parsed = parse(request.instruction)
    language = language_of(request.path, request.language_id)
    selected = _selected_lines(request, document)
    found = candidates_for(
        parsed,
        document.model_text,
        language,
        path=request.path,
        selected=selected,
        cursor=request.cursor,
    )
    found = candidates_one_by_one(parsed, found, document.model_text, language, request.path)
    if found is not None and contradicts_kind(parsed, found, document.model_text, language):
        found = None
    if found is None and selected is None:
        found = candidates_without_asides(parsed, document.model_text, language, request.path)
        found = found or candidates_by_kind(parsed, document.model_text, language, request.path)
    found = with_companion_imports(request.instruction, found, document.model_text, language)
    if found is not None and found.problem:
        error = ErrorInfo(EditRefused.code, found.problem)
        return EditResult(request.request_id, "refused", error=error)
    if found is None or not (found.is_certain or way in ("words", "resembling")):
        return None
    wider = found.wider if way == "resembling" else None
    hunks = hunks_to(document, found.texts[0] if wider is None else wider)
    if selected and wider is None and not _are_within(hunks, selected):
        found, hunks = _limited_to_selection(parsed, document, language, selected) or (found, hunks)
    if not hunks and not found.is_certain:
        return None  # the words may mean something that the buffer has under another name
    if selected and not _are_within(hunks, selected):
        return None  # which lines of the selection are meant is for the model to say
    return EditResult(
        request.request_id,
        "stop",
        text=apply(hunks, request.text, document),
        hunks=hunks,
        stats=Stats(written_by="words", total_seconds=monotonic() - started),
        summary=_summary(parsed, found, is_changed=bool(hunks), is_wider=wider is not None),
        ways=ways_from("words", resembling=found.wider is not None and wider is None),
    )


def compute_follow_up(request: EditRequest) -> EditResult | None:
    """Compute the edit that the words of ``request`` decide about the text that the request is based on, as a change of
    the buffer.

    ``None`` if a model is to be asked: the request is based on no text, or the words decide nothing about that text,
    have nothing to change in it, must not be carried out, or the change reaches beyond the selection. Also if what
    stands below the selection differs in both texts.
    """
    based_on = request.based_on
    if based_on is None:
        return None
    document, earlier = Document.of(request.text), Document.of(based_on)
    selected = _selected_lines(request, document)
    shifted = request
    if selected is not None:
        # The end of the selection moves with the lines that the earlier answer added or took away in it.
        end = selected[1] + len(earlier.lines) - len(document.lines)
        if end < selected[0] or earlier.model_lines[end:] != document.model_lines[selected[1] :]:
            return None
        shifted = replace(request, start_line=selected[0], end_line=end)
    result = compute_edit(replace(shifted, text=based_on, based_on=None))
    if result is None or result.text is None or result.text == based_on:
        return None
    hunks = hunks_to(document, Document.of(result.text).model_text)
    if selected is not None and not _are_within(hunks, selected):
        return None
    return replace(result, text=apply(hunks, request.text, document), hunks=hunks)


def split_request(request: EditRequest) -> tuple[EditRequest, ...]:
    """Split a request of several clauses into one request for each, to be done in order, each on the text that the one
    before it left; a request for the docstrings of all Python functions into one for each function that lacks its own.

    Empty for a single clause, a selection, a chosen way, or a request with a sketch, a prediction or an edit that it
    is based on.
    """
    is_whole = request.start_line is None and request.end_line is None
    if not (is_whole and _has_only_words(request)) or request.options.way:
        return ()
    parsed = parse(request.instruction)
    clauses = parsed.clauses or _docstrings_lacking(parsed, request)
    return tuple(replace(request, instruction=text) for text in clauses)


def _docstrings_lacking(parsed: Parsed, request: EditRequest) -> tuple[str, ...]:
    """A request for the docstring of each Python function that has none, if the instruction asks for all; empty if it
    does not, two functions share a name, or the text is no Python that parses.
    """
    if not parsed.wants_all_docstrings:
        return ()
    language = language_of(request.path, request.language_id)
    code = read_code(Document.of(request.text).model_text, language)
    functions = (
        [x for x in code.python.definitions() if isinstance(x, Function)] if code.python else []
    )
    names = [x.name for x in functions if docstring_of(x) is None]
    is_plain = len({x.name for x in functions}) == len(functions)
    return tuple(f"add a docstring to {name}" for name in names) if is_plain else ()


def _has_only_words(request: EditRequest) -> bool:
    """Whether the request has nothing but an instruction."""
    return request.sketch is None and request.based_on is None and request.prediction is None


def _selected_lines(request: EditRequest, document: Document) -> tuple[int, int] | None:
    """Lines ``start .. end`` (0-based, end exclusive) of the selection, a missing border being the
    text's; ``None`` if nothing is selected.
    """
    if request.start_line is None and request.end_line is None:
        return None
    end = len(document.lines) if request.end_line is None else request.end_line
    return request.start_line or 0, end


def _limited_to_selection(
    parsed: Parsed, document: Document, language: str, selected: tuple[int, int]
) -> tuple[Candidates, tuple[Hunk, ...]] | None:
    """The certain edit of the first definition, of those selected whole and then those around the
    selection, that changes something and stays in the selection, with its hunks; ``None`` if none
    does.
    """
    text = document.model_text
    for location in definitions_around(selected, read_code(text, language)):
        found = candidates_for(parsed, text, language, location=location, selected=selected)
        if found is not None and found.is_certain and not found.problem:
            hunks = hunks_to(document, found.texts[0])
            if hunks and _are_within(hunks, selected):
                return found, hunks
    return None


def _are_within(hunks: tuple[Hunk, ...], lines: tuple[int, int]) -> bool:
    """Whether all hunks replace only lines ``start .. end``."""
    start, end = lines
    return all(start <= hunk.start and hunk.start + hunk.old_count <= end for hunk in hunks)


# Hunks


def hunks_to(document: Document, new: str) -> tuple[Hunk, ...]:
    """The hunks that make ``new`` (LF) of the document, with the document's own line ends and the origin of each part
    of a line, numbered from 1; empty if nothing differs.
    """
    lines = Document.of(new).model_lines
    hunks = []
    for number, change in enumerate(changes(document.model_lines, lines), start=1):
        start, count = change.old_start, change.old_end - change.old_start
        written = document.restore_ends(lines[change.new_start : change.new_end], start, count)
        origins = [
            origin
            for at, line in enumerate(written)
            for origin in _origins(at, document.lines[start + at] if at < count else "", line)
        ]
        hunks.append(Hunk(number, start, count, written, origins=tuple(origins)))
    return tuple(hunks)


def _origins(at: int, old: str, new: str) -> list[Origin]:
    """The origins of the parts of line ``at`` of a hunk: its beginning and end are ``buffer`` as
    far as they are those of ``old``, the middle is ``substitution``.
    """
    changed = trimmed(0, old, new)
    head, end = (changed.start, changed.start + len(changed.new_text)) if changed else (0, 0)
    borders = ((0, head, "buffer"), (head, end, "substitution"), (end, len(new), "buffer"))
    return [Origin(at, start, end, source) for start, end, source in borders if start < end]


# The summary


def _summary(parsed: Parsed, found: Candidates, *, is_changed: bool, is_wider: bool) -> str:
    """Sentences for the user: how the words were read, what was computed, what resembles the change and stays, what is
    assumed. Of a missing name only that it is missing.

    is_changed: whether the text changed; else a sentence says that nothing is to be done. is_wider: what resembles the
    change was changed, too, so nothing is said of it, nor of assumptions.
    """
    reading = found.reading or parsed.lexical_reading
    sentences = [f'Read as "{reading}".'] if reading else []
    if found.missing_name:
        absence = f"There is nothing to change: “{found.missing_name}” is not in this text."
        return " ".join([*sentences, absence])
    if found.nothing_to_do:
        return " ".join([*sentences, f"There is nothing to change: {found.nothing_to_do}."])
    sentences.append(_COMPUTED if is_changed else _NOTHING_TO_DO)
    if not is_wider:
        stays = list(dict.fromkeys(_located(what, lines) for what, lines in found.left_alone))
        sentences += [f"It stays in {'; in '.join(stays)}."] if stays else []
        sentences += [
            f"This assumes {what}: {_numbered(lines)}." for what, lines in found.assumptions
        ]
    return " ".join(sentences)


def _located(what: str, lines: tuple[int, ...]) -> str:
    """A kind of mention with its lines (``strings: line 3``), or a thing in the file's own words (``the key "a" in line 3``)."""
    return f"{what} in {_numbered(lines)}" if what.endswith('"') else f"{what}: {_numbered(lines)}"


def _numbered(lines: tuple[int, ...]) -> str:
    """``lines 3, 7 and 2 more`` of 0-based numbers, the first six by their 1-based numbers."""
    numbers = ", ".join(str(line + 1) for line in lines[:_MOST_LINES])
    more = f" and {len(lines) - _MOST_LINES} more" if lines[_MOST_LINES:] else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {numbers}{more}"
