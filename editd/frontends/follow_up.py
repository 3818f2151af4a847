"""The request that refines an answer which nobody has accepted yet: it builds on the answer's text, and stays where that changed something.

For front ends that hold an answer themselves. What is computed of it is left to ``plan``.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.messages import EditRequest, EditResult
from editd.syntax.code import read_code
from editd.syntax.definition import Definition
from editd.syntax.language import language_of


def follow_up(request: EditRequest, answer: EditResult, instruction: str) -> EditRequest:
    """A request, under an id of its own, to change ``answer`` as ``instruction`` says, as a change of the same
    buffer: as ``request``, but based on the answer's text, without a prediction, and free in the way of doing it.

    answer: to ``request``, with a text. Only the lines that ``request`` selects may change; without a selection those
    that ``_changed_lines`` gives, or all if the answer has no hunk.
    """
    start, end = request.start_line, request.end_line
    if start is None and end is None and answer.hunks:
        start, end = _changed_lines(request, answer)
    return replace(
        request,
        request_id=uuid4().hex,
        instruction=instruction,
        based_on=answer.text,
        start_line=start,
        end_line=end,
        prediction=None,
        options=replace(request.options, way=None),
    )


def _changed_lines(request: EditRequest, answer: EditResult) -> tuple[int, int]:
    """Lines of ``request.text``, 0-based and end exclusive, from the first hunk of ``answer`` (at least one) to the
    last; extended to the start of the innermost function or class that holds all of the first, and to the end of that
    which holds all of the last.

    Never empty: of an insertion in no function, the line after it; at the end of the text, its last line.
    """
    document = Document.of(request.text)
    language = language_of(request.path, request.language_id)
    blocks = [x for x in read_code(document.model_text, language).definitions if x.is_block]

    def around(hunk: Hunk) -> list[Definition]:
        end = hunk.start + hunk.old_count
        return [x for x in blocks if x.start <= hunk.start and end <= x.end]

    first, last = answer.hunks[0], answer.hunks[-1]
    start = max((x.start for x in around(first)), default=first.start)
    end = min((x.end for x in around(last)), default=last.start + last.old_count)
    start = min(start, len(document.lines) - 1)
    return start, max(end, start + 1)
