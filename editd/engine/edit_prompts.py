"""Makes the prompts of an edit for one model: scope, format, prompt parts; and finds the buffer in them.

Prompts also hold the instruction, diagnostics and worked examples; a format may show the buffer in
one piece or in several. It is found in tokens, so that copies from it are recognised.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from editd import errors
from editd.apply.best_guess import paste_for_model
from editd.apply.outcome import Doubtful
from editd.decode.drafters.base import Codec
from editd.diff.document import Document
from editd.embedded import families as trained
from editd.engine.region_answer import Earlier
from editd.intent import parse
from editd.messages import EditRequest
from editd.models.model import PooledModel
from editd.models.text_source import ContextBudget
from editd.prompts.base import EditFormat, PromptParts, Scope
from editd.prompts.formats import format_for
from editd.prompts.scope import choose_scope, overhead_tokens, parts_of
from editd.syntax.language import language_of


def buffer_in(
    parts: PromptParts, prompt_ids: Sequence[int], codec: Codec
) -> tuple[tuple[int, int], ...]:
    """Ranges of prompt tokens that spell nothing but shown text of the buffer, in order.

    Ambiguous pieces are left out: a piece that occurs in several places matches none of them.
    """
    spelled = [codec.token_bytes(token_id) for token_id in prompt_ids]
    text = b"".join(spelled)
    starts = [0, *accumulate(map(len, spelled))]
    ranges = []
    whole = (parts.before + parts.region + parts.after).encode()
    pieces = [whole]
    if whole not in text:
        pieces = [piece.encode() for piece in (parts.before, parts.region, parts.after)]
    for piece in pieces:
        # The last line end may be missing where the format closes a fence behind it.
        bare = piece.rstrip(b"\n")
        at = text.find(bare)
        if not bare or at < 0 or text.find(bare, at + 1) >= 0:
            continue
        end = at + len(bare)
        if text[end : end + 1] == b"\n" and piece != bare:
            end += 1
        first, stop = bisect_left(starts, at), bisect_right(starts, end) - 1
        if first < stop:
            ranges.append((first, stop))
    return tuple(sorted(ranges))


@dataclass(frozen=True, slots=True)
class EditPrompts:
    """The prompts of an edit: its regions, and the prompt parts of each.

    parts: those of a region, by its index; made when asked for, since all of them may be many
        times the buffer. Raises ``EditRefused`` for an unsupported edit. read_as: a notice that the
        instruction was put in other words; may be empty.
    """

    edit_format: EditFormat
    scope: Scope
    parts: Callable[[int], PromptParts]
    read_as: str = ""


def write_prompts(
    model: PooledModel,
    room: ContextBudget,
    request: EditRequest,
    document: Document,
    doubtful: Sequence[Doubtful] = (),
) -> EditPrompts:
    """The prompts of an edit. Raises ``EditRefused`` if ``model`` does not support it.

    doubtful: of a sketch, the regions that are left to decide; none: all of it is.
    """
    edit_format = format_for(model.edit_format, room.render_chat, model=model.name)
    language = language_of(request.path, request.language_id)
    is_taught = trained.is_trained(model.manifest)
    # A model that knows plain sentences gets the one that an unusual one was taken for.
    gist = parse(request.instruction).lexical_reading if is_taught else ""
    told: dict[str, Any] = {
        "path": request.path,
        "language": language,
        "instruction": gist or request.instruction,
        "context": request.context,
        "based_on": request.based_on,
    }

    scope = _scope(model, room, request, document, edit_format, told, doubtful)
    sketch = request.sketch
    if sketch is not None:
        sketch = paste_for_model(request.text, sketch, request.path)
    if is_taught and request.instruction:
        _check_taught(model, request.instruction, language, document.model_text)

    earlier: Earlier | None = None
    if request.based_on is not None:
        earlier = Earlier.read(request.based_on, document.model_lines)

    def parts(index: int) -> PromptParts:
        lines, region = document.model_lines, scope.regions[index]
        part = parts_of(scope, index, lines, **told)
        if sketch is not None:
            mine = "".join(f"{line}\n" for line in doubtful[index].sketch) if doubtful else sketch
            part = replace(part, sketch=mine)
        if earlier is not None:
            part = replace(part, based_on=earlier.part(region.start, region.end))
        if sentence := edit_format.refuse(part):
            raise errors.EditRefused(sentence)
        return part

    return EditPrompts(edit_format, scope, parts, f'Read as "{gist}".' if gist else "")


def _scope(
    model: PooledModel,
    room: ContextBudget,
    request: EditRequest,
    document: Document,
    edit_format: EditFormat,
    told: dict[str, Any],
    doubtful: Sequence[Doubtful],
) -> Scope:
    """Which lines are rewritten; ``told``: of the prompt parts, what all regions share."""
    bare = PromptParts(before="", region="", after="", sketch=request.sketch, **told)
    overhead = overhead_tokens(edit_format, bare, room.count_tokens, room.max_context)
    # An instruction does not say what a sketch is about.
    is_whole = (
        request.options.way == "whole"
        or request.sketch is not None
        or trained.is_whole(model.manifest)
    )

    def size(start: int, end: int) -> int:
        return document.line_offset(max(start, end)) - document.line_offset(start)

    def scope_of(start_line: int | None, end_line: int | None) -> Scope:
        return choose_scope(
            document.model_lines,
            told["instruction"],
            count_tokens=room.count_tokens,
            max_context=room.max_context,
            overhead=overhead,
            start_line=start_line,
            end_line=end_line,
            path=request.path,
            language=told["language"],
            size=size,
            seconds=None if is_whole else room.seconds,
            longest=0 if is_whole else trained.longest(model.manifest),
        )

    if doubtful:
        return _joined(doubtful, scope_of)
    return scope_of(request.start_line, request.end_line)


def _joined(doubtful: Sequence[Doubtful], scope_of: Callable[[int, int], Scope]) -> Scope:
    """The scopes of all doubtful regions as one."""
    scopes: list[Scope] = []
    for one in doubtful:
        scope = scope_of(one.start, one.end)
        scopes.append(scope)
    listed = ", ".join(f"{one.start + 1} to {max(one.end, one.start + 1)}" for one in doubtful)
    notice = f"Only lines {listed} are rewritten by the model; the rest is unambiguous."
    return Scope(
        tuple(region for scope in scopes for region in scope.regions),
        tuple(shown for scope in scopes for shown in scope.shown),
        " ".join(dict.fromkeys([notice, *(scope.notice for scope in scopes if scope.notice)])),
    )


def _check_taught(model: PooledModel, instruction: str, language: str, text: str) -> None:
    """Raise ``EditRefused`` for an instruction that a small trained model was not taught."""
    if sentence := trained.refuse(model.manifest, instruction, language, text):
        raise errors.EditRefused(sentence)
