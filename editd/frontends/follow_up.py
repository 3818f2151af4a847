"""The request that refines an answer which nobody has accepted yet: it builds on the answer's text, and stays where that changed something.

For front ends that hold an answer themselves. What is computed of it is left to ``plan``.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from editd.diff.document import Document
from editd.diff.earlier_answer import EarlierAnswer
from editd.messages import EarlierRequest, EditRequest, EditResult
from editd.syntax.code import read_code
from editd.syntax.language import language_of


def follow_up(request: EditRequest, answer: EditResult, instruction: str) -> EditRequest:
    """A request, under an id of its own, to change ``answer`` as ``instruction`` says, as a change of the same
    buffer: as ``request``, but based on the answer's text, without a prediction, free in the way of doing it, and
    with the earlier request in ``earlier``.

    answer: to ``request``, with a text. Only the lines that ``request`` selects may change; without a selection those
    that the answer changed (``limited_to_changes``).
    """
    refined = replace(
        request,
        request_id=uuid4().hex,
        instruction=instruction,
        based_on=answer.text,
        earlier=earlier_request(request),
        prediction=None,
        options=replace(request.options, way=None),
    )
    return limited_to_changes(refined)


def earlier_request(request: EditRequest) -> EarlierRequest:
    """The record of what a request that refines an answer to ``request`` builds on: all instructions so far, each on
    lines of its own, and the lines that the first of these requests selects.
    """
    before = request.earlier
    if before is None:
        return EarlierRequest(request.instruction, request.start_line, request.end_line)
    return replace(before, instruction=f"{before.instruction}\n{request.instruction}")


def limited_to_changes(request: EditRequest) -> EditRequest:
    """A copy of the request that selects the lines that the answer which it is based on changed (``changed_lines``);
    the request itself if it selects lines already, is based on none, or that changed nothing.
    """
    if request.start_line is not None or request.end_line is not None or request.based_on is None:
        return request
    language = language_of(request.path, request.language_id)
    lines = changed_lines(request.text, request.based_on, language)
    return request if lines is None else replace(request, start_line=lines[0], end_line=lines[1])


def changed_lines(text: str, new: str, language: str) -> tuple[int, int] | None:
    """Lines of ``text`` (0-based, end exclusive) from the first that differs in ``new`` to the last; extended to the
    start of the innermost function or class around the first, and to the end of that around the last.

    ``None`` if both have the same lines; else never empty: of an insertion in no function, the line after it, or the
    last line.
    """
    document = Document.of(text)
    answer = EarlierAnswer.read(new, document.model_lines)
    total = len(document.lines)
    if answer.before == total == len(answer.document.lines):
        return None
    return with_blocks(document, answer.before, total - answer.after, language)


def with_blocks(document: Document, first: int, last: int, language: str) -> tuple[int, int]:
    """The lines from ``first`` to ``last`` (0-based, end exclusive) of a text, extended as those of ``changed_lines``."""
    total = len(document.lines)
    last = max(first, last)
    blocks = [x for x in read_code(document.model_text, language).definitions if x.is_block]
    is_insertion = first == last  # at the end of a function it belongs to that
    start = max((x.start for x in blocks if x.start <= first < x.end + is_insertion), default=first)
    end = min((x.end for x in blocks if x.start < last <= x.end), default=last)
    start = min(start, max(total - 1, 0))
    return start, max(end, start + 1)
