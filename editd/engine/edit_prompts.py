"""Makes the prompts of an edit for one model: scope, format, prompt parts; and finds the buffer in a prompt's tokens.

Prompts also hold the instruction, diagnostics and worked examples; a format may show the buffer in one piece or in
several. The buffer's tokens are found so that copies from it are recognised.
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
from editd.diff.earlier_answer import EarlierAnswer
from editd.embedded import families as trained
from editd.embedded.refusals import OTHER_MODEL
from editd.engine.refinement import Refinement, find_refinement
from editd.intent import parse
from editd.messages import ContextItem, EditRequest
from editd.models.model import PooledModel
from editd.models.text_source import ContextBudget
from editd.prompts.base import EditFormat, PromptParts, Scope
from editd.prompts.budget import expected_answer_tokens
from editd.prompts.formats import SHOWING_CONTEXT, SHOWING_TURNS, format_for
from editd.prompts.insertion import Insertion, insertion_of
from editd.prompts.scope import choose_scope, overhead_tokens, parts_of
from editd.syntax.code import read_code
from editd.syntax.language import language_of


def buffer_in(
    parts: PromptParts, prompt_ids: Sequence[int], codec: Codec
) -> tuple[tuple[int, int], ...]:
    """Ranges of indices of prompt tokens (end exclusive) that spell nothing but text of the buffer, in order.

    The shown text as a whole if the prompt has it so, else the text before the region, the region and the text after
    it; each only if it is not empty and occurs exactly once in the prompt.
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

    parts: returns the parts for a region's index; made on demand, since all of them may be many times the buffer.
        Raises ``EditRefused`` for an edit that the format does not support.
    notices: that the instruction was put in other words, and which of the texts that it mentions the model sees.
    insertion: where the new definition goes that the instruction asks for; ``None`` if it asks for none.
    """

    edit_format: EditFormat
    scope: Scope
    parts: Callable[[int], PromptParts]
    notices: tuple[str, ...] = ()
    insertion: Insertion | None = None


def write_prompts(
    model: PooledModel,
    budget: ContextBudget,
    request: EditRequest,
    document: Document,
    doubtful: Sequence[Doubtful] = (),
) -> EditPrompts:
    """Choose the scope (the lines to rewrite, in one or several regions) and the format of an edit, for prompts that
    fit the ``budget``. A prompt's parts are only made by the result's ``parts``, which raises ``EditRefused`` for
    what the format refuses.

    A refinement continues the earlier edit's conversation where it can (``_refinement``). A model that is trained for
    edits gets the plain sentence of the same meaning in the instruction's place, if there is one; a notice tells it.
    doubtful: the regions of a sketch that are left to decide; empty if all of it is.

    Raises ``EditRefused`` for an edit that the model was not trained for, ``ScopeTooLarge`` for lines that do not fit
    its context, and what ``choose_scope`` and ``format_for`` raise.
    """
    edit_format = format_for(model.edit_format, budget.render_chat, model=model.name)
    language = language_of(request.path, request.language_id)
    is_trained = trained.is_trained(model.manifest)
    # A model that knows plain sentences gets the plain sentence of the same meaning.
    plain_sentence = parse(request.instruction).lexical_reading if is_trained else ""
    insertion = _insertion(request, document, language)
    if insertion is not None:
        if is_trained:
            raise errors.EditRefused(f"The embedded model writes no new functions: {OTHER_MODEL}")
        request = replace(request, start_line=insertion.line, end_line=insertion.line)
    context, notices = _context_to_show(request, edit_format, budget)
    request = replace(request, context=context)
    shared: dict[str, Any] = {
        "path": request.path,
        "language": language,
        "instruction": plain_sentence or request.instruction,
        "context": request.context,
        "based_on": request.based_on,
    }

    if is_trained and request.instruction:
        _check_trained(model, request.instruction, language, document.model_text)
    earlier: EarlierAnswer | None = None
    if request.based_on is not None:
        earlier = EarlierAnswer.read(request.based_on, document.model_lines)
    refinement = _refinement(model, budget, request, document, edit_format, shared, earlier)
    if refinement is not None:
        scope = refinement.scope
    else:
        scope = _scope(model, budget, request, document, edit_format, shared, doubtful)
    sketch = request.sketch
    if sketch is not None:
        sketch = paste_for_model(request.text, sketch, request.path)

    def parts(index: int) -> PromptParts:
        """As ``EditPrompts.parts``."""
        lines, region = document.model_lines, scope.regions[index]
        part = parts_of(scope, index, lines, **shared)
        if sketch is not None:
            own = "".join(f"{line}\n" for line in doubtful[index].sketch) if doubtful else sketch
            part = replace(part, sketch=own)
        if earlier is not None:
            part = replace(part, based_on=earlier.part(region.start, region.end))
        if refinement is not None:
            part = replace(part, earlier=refinement.turn)
        if sentence := edit_format.refuse(part):
            raise errors.EditRefused(sentence)
        return part

    if plain_sentence:
        notices = (f'Read as "{plain_sentence}".', *notices)
    return EditPrompts(edit_format, scope, parts, notices, insertion)


def _refinement(
    model: PooledModel,
    budget: ContextBudget,
    request: EditRequest,
    document: Document,
    edit_format: EditFormat,
    shared: dict[str, Any],
    answer: EarlierAnswer | None,
) -> Refinement | None:
    """The conversation (earlier prompt and answer) that a refinement of ``answer`` continues, and the lines to
    rewrite.

    ``None`` without ``answer`` or with a sketch, for a format that shows no turns, if ``find_refinement`` finds none,
    or if prompt and answer do not fit the context. shared: the fields of ``PromptParts`` that all regions have.
    """
    if answer is None or request.sketch is not None or edit_format.name not in SHOWING_TURNS:
        return None
    fields = {**shared, "based_on": None}

    def scope_of(instruction: str, start_line: int | None, end_line: int | None) -> Scope:
        within = replace(request, start_line=start_line, end_line=end_line)
        words = {**fields, "instruction": instruction}
        return _scope(model, budget, within, document, edit_format, words, ())

    found = find_refinement(request, answer, document.model_lines, scope_of, fields)
    if found is None:
        return None
    region = found.scope.regions[0]
    part = parts_of(found.scope, 0, document.model_lines, **shared)
    text = answer.part(region.start, region.end)
    part = replace(part, based_on=text, earlier=found.turn)
    tokens = budget.count_tokens(edit_format.prompt(part).text)
    fits = tokens + expected_answer_tokens(budget.count_tokens(text)) <= budget.max_context
    return found if fits else None


def _insertion(request: EditRequest, document: Document, language: str) -> Insertion | None:
    """The place of the new definition that the instruction asks for, near the selected lines or the cursor if there
    are any; ``None`` if it asks for none (``insertion_of``), has a sketch, or refines an answer.
    """
    if request.sketch is not None or request.based_on is not None:
        return None
    cursor = None
    if request.start_line is not None or request.end_line is not None:
        end = len(document.lines) if request.end_line is None else request.end_line
        cursor = (request.start_line or 0, end)
    elif request.cursor is not None:
        cursor = (request.cursor, request.cursor)
    return insertion_of(request.instruction, read_code(document.model_text, language), cursor)


def _context_to_show(
    request: EditRequest, edit_format: EditFormat, budget: ContextBudget
) -> tuple[tuple[ContextItem, ...], tuple[str, ...]]:
    """The request's context that is shown to the model, and a notice for each mentioned text (``@name``): that it is
    shown, or why not. Everything is shown if there are none of these.

    A mentioned text is left out if the format shows no context, or it does not fit: together they may take half of
    the model's context less all of the text and the selected lines (all without a selection); the first come first.
    """
    mentioned = [item for item in request.context if item.kind == "mention"]
    if not mentioned:
        return request.context, ()
    start, end = request.start_line or 0, request.end_line
    region = "".join(Document.of(request.text).lines[start:end])
    room = (
        budget.max_context - budget.count_tokens(request.text) - budget.count_tokens(region)
    ) // 2
    shown: list[ContextItem] = []
    notices: list[str] = []
    for item in request.context:
        if item.kind == "mention":
            count = item.text.count("\n") + (not item.text.endswith("\n"))
            name = f"{item.path} ({count:,} {'line' if count == 1 else 'lines'})"
            tokens = budget.count_tokens(item.text)
            if edit_format.name not in SHOWING_CONTEXT:
                notices.append(f"This model is not shown other texts, so {name} was left out.")
                continue
            if tokens > room:
                notices.append(f"{name} did not fit the model's context and was left out.")
                continue
            room -= tokens
            notices.append(f"With {name}.")
        shown.append(item)
    return tuple(shown), tuple(notices)


def _scope(
    model: PooledModel,
    budget: ContextBudget,
    request: EditRequest,
    document: Document,
    edit_format: EditFormat,
    shared: dict[str, Any],
    doubtful: Sequence[Doubtful],
) -> Scope:
    """The lines to rewrite: the doubtful regions if there are any, else as ``choose_scope`` says. How long reading
    and writing take counts, except for a sketch, the way ``whole``, and a model that always rewrites the whole.

    shared: the fields of ``PromptParts`` that all regions have. Raises as ``choose_scope``.
    """
    bare = PromptParts(before="", region="", after="", sketch=request.sketch, **shared)
    overhead = overhead_tokens(edit_format, bare, budget.count_tokens, budget.max_context)
    # The instruction of a sketch does not name the lines.
    is_whole = (
        request.options.way == "whole"
        or request.sketch is not None
        or trained.is_whole(model.manifest)
    )

    def size(start: int, end: int) -> int:
        """The characters of lines ``start .. end``."""
        return document.line_offset(max(start, end)) - document.line_offset(start)

    def scope_of(start_line: int | None, end_line: int | None) -> Scope:
        """The scope of these lines; ``None``: of all."""
        return choose_scope(
            document.model_lines,
            shared["instruction"],
            count_tokens=budget.count_tokens,
            max_context=budget.max_context,
            overhead=overhead,
            start_line=start_line,
            end_line=end_line,
            path=request.path,
            language=shared["language"],
            size=size,
            seconds=None if is_whole else budget.seconds,
            longest=0 if is_whole else trained.longest(model.manifest),
        )

    if doubtful:
        return _joined(doubtful, scope_of)
    return scope_of(request.start_line, request.end_line)


def _joined(doubtful: Sequence[Doubtful], scope_of: Callable[[int, int], Scope]) -> Scope:
    """The scopes of all doubtful regions, each by ``scope_of`` (first line, end), joined to one with their notices
    after one that names their lines, from 1. Raises what ``scope_of`` raises.
    """
    scopes: list[Scope] = []
    for region in doubtful:
        scope = scope_of(region.start, region.end)
        scopes.append(scope)
    listed = ", ".join(
        f"{region.start + 1} to {max(region.end, region.start + 1)}" for region in doubtful
    )
    notice = f"Only lines {listed} are rewritten by the model; the rest is unambiguous."
    return Scope(
        tuple(region for scope in scopes for region in scope.regions),
        tuple(shown for scope in scopes for shown in scope.shown),
        " ".join(dict.fromkeys([notice, *(scope.notice for scope in scopes if scope.notice)])),
    )


def _check_trained(model: PooledModel, instruction: str, language: str, text: str) -> None:
    """Raise ``EditRefused`` for an instruction that a model of editd's own was not trained for."""
    if sentence := trained.refuse(model.manifest, instruction, language, text):
        raise errors.EditRefused(sentence)
