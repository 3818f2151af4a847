"""Recognises the prompts of edit models, whose answer mostly repeats a part of the prompt, and predicts that part.

Editors write these prompts for models that predict the next edit. The part that is to be rewritten stands
in the prompt between two marks, so it is the prediction where the client gives none. A prediction changes
the time of an answer, never its text; so a prompt that is not exactly of a known form is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from editd.messages import CompleteRequest

PLAIN_FIM = "fim"
"""The form of prompts with a hole to fill: there is nothing to predict, and the text around it is drafted from anyway."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of prompts, by the texts around the part that the answer repeats.

    opens, closes: the texts around the part; the last ``opens`` counts, and without ``closes`` the part ends at
        ``ends``.
    ends: texts with which a prompt may end.
    needs: a text before ``opens`` by which the form is recognised, too.
    cursor: a mark in the part, which answers leave out.
    before, after: the texts around the part in an answer.
    path: the text before the file's name, which ends at the end of its line.
    """

    name: str
    opens: str
    closes: str
    ends: tuple[str, ...]
    needs: str = ""
    cursor: str = ""
    before: str = ""
    after: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Predicted:
    """The prediction for a prompt.

    form: the name of the prompt's form. text: ``None`` if there is nothing to predict. document: names the file, so
    that a newer request supersedes an older one; empty: none does.
    """

    form: str
    text: str | None
    document: str = ""


_SEED = "<[fim-middle]>"  # Seed-Coder's tokens, else Qwen's
_QWEN_UPDATED = "<|fim_middle|>updated\n"
_CHATML = "<|im_end|>\n<|im_start|>assistant\n"
_RESPONSE = (
    "### Response:\n",
    "### Response:",
    f"### Response:\n{_CHATML}",
    f"### Response:{_CHATML}",
)
_START, _END = "<|editable_region_start|>\n", "\n<|editable_region_end|>"
_EDIT, _EDITED = "<|code_to_edit|>\n", "\n<|/code_to_edit|>"

FORMS = (
    # Zed's, oldest first: crates/zeta_prompt. Zeta 1 repeats the marks, and so does Zeta 2.1.
    Form("zeta-1", _START, _END, _RESPONSE[:1], "### User Excerpt:\n\n```", "<|user_cursor_is_here|>",
         _START, _END, "### User Excerpt:\n\n```"),
    Form("zeta-2-ordered", "<|fim_middle|>current\n", "<|fim_suffix|>", (_QWEN_UPDATED,),
         "<|fim_prefix|>", "<|user_cursor|>", path="<|file_sep|>"),
    Form("zeta-2-middle-at-end", "<|fim_middle|>current\n", "", (_QWEN_UPDATED,),
         "<|fim_suffix|>", "<|user_cursor|>", path="<|file_sep|>"),
    Form("zeta-2-merge-markers", "<|fim_middle|><<<<<<< CURRENT\n", "", ("=======\n",),
         "<|fim_suffix|>", "<|user_cursor|>", "updated\n", ">>>>>>> UPDATED\n", "<|file_sep|>"),
    Form("zeta-2", "<<<<<<< CURRENT\n", "", (f"=======\n{_SEED}",), "<[fim-prefix]>",
         "<|user_cursor|>", "", ">>>>>>> UPDATED\n", "<filename>"),
    Form("zeta-2.1", "<|marker_1|>", "", (_SEED, f"\n{_SEED}"), "<[fim-prefix]>",
         "<|user_cursor|>", "<|marker_1|>", "", "<filename>"),
    Form("zeta-2.1-qwen", "<|marker_1|>", "\n<|fim_suffix|>", ("<|fim_middle|>",), "<|fim_prefix|>",
         "<|user_cursor|>", "<|marker_1|>", "", "<|file_sep|>"),
    # Continue's: core/nextEdit. Instinct answers the bare part.
    Form("instinct", _START, _END, _RESPONSE, "Reference the user excerpt, user edits,", "<|user_cursor_is_here|>",
         path="### User Excerpt:\n"),
    Form("mercury", _EDIT, _EDITED, tuple(f"<|/edit_diff_history|>\n{end}" for end in ("", _CHATML)),
         "<|current_file_content|>", "<|cursor|>", _EDIT, _EDITED, "current_file_path: "),
    # Models that merge a sketch. Their chats are merged by editd itself where it can (``apply_chats``).
    Form("fast-apply", "<code>", "</code>\n\n<update>",
         tuple(f"Provide the complete updated code.{end}" for end in ("", "\n", _CHATML)),
         "Merge all changes from the <update> snippet", "", "<updated-code>", "</updated-code>"),
    Form("osmosis-apply", "<code>\n", "\n</code>\n\n<edit>\n",
         tuple(f"\n</edit>{end}" for end in ("", _CHATML, f"{_CHATML}<code>\n")), "", "",
         "<code>\n", "\n</code>"),
    # Plugins that ask a chat model; what follows the part is the user's text. Duet's cursor stays in the answer.
    Form("minuet-duet", "<editable_region>\n", "\n</editable_region>", ("",), "", "",
         "<editable_region>\n", "\n</editable_region>"),
    Form("llama.vim", f"--- SELECTION   {'-' * 40}\n", f"\n--- SUFFIX      {'-' * 40}\n", ("",),
         "Respond ONLY with the result of applying INSTRUCTION to SELECTION"),
)  # fmt: skip


def with_prediction(request: CompleteRequest, client: str = "") -> tuple[CompleteRequest, str]:
    """A copy of the request with the prediction that its prompt holds, and with the file as ``document``; also
    returns the name of the prompt's form. Of a chat the prompt is the text of its last two messages, without one of
    the assistant.

    The request itself and an empty form if no form is known. A prediction that the request has stays, with an empty
    form; its ``document`` is set all the same. client: the program that asks, whose newer requests for the same file
    supersede its older ones; ``document`` begins with it, and is empty if the prompt names no file.
    """
    prompt = request.prompt
    if prompt is None:
        # The last message; llama.vim's text stands in the system message right before it.
        prompt = "".join(m.content for m in request.messages[-2:] if m.role != "assistant")
    found = recognise(prompt)
    if found is None:
        return request, ""
    document = f"{client} {found.document}" if found.document else ""
    request = replace(request, document=document)
    if request.prediction is not None:
        return request, ""
    return replace(request, prediction=found.text or None), found.form


def recognise(prompt: str) -> Predicted | None:
    """The prediction for a prompt, by Sweep's form or the first of ``FORMS`` that it has; ``None`` if it has none. A
    prompt to fill a hole (it ends with a model's fill-in-the-middle mark) has a form, and ``None`` as its text.

    A form is passed over if its part to rewrite is not found, or has several marks of the cursor.
    """
    if sweep := _sweep(prompt):
        return sweep
    for form in FORMS:
        if (end := _end(prompt, form.ends)) is None:
            continue
        stop = len(prompt) - len(end)
        if form.closes:
            stop = prompt.rfind(form.closes, 0, stop)
        start = prompt.rfind(form.opens, 0, max(stop, 0))
        if start < 0 or form.needs not in prompt[:start]:
            continue
        part = prompt[start + len(form.opens) : stop]
        if form.cursor and part.count(form.cursor) > 1:
            continue
        if form.cursor:
            part = part.replace(form.cursor, "")
        before = "" if end.endswith(form.before) else form.before  # the answer may be begun already
        document = f"{form.name} {_path(prompt, form, start)}" if form.path else ""
        return Predicted(form.name, f"{before}{part}{form.after}", document)
    if prompt.endswith(("<|fim_middle|>", _SEED)):
        return Predicted(PLAIN_FIM, None)
    return None


# The part twice: as it was before the last edit, and as it is; then how the answer begins.
_UPDATED = re.compile(r"<\|file_sep\|>updated/(?P<file>[^\n]*)\n(?P<begun>.*)\Z", re.DOTALL)


def _sweep(prompt: str) -> Predicted | None:
    """The prediction for a prompt of Sweep's models, whose marks name the file and may hold the beginning of the
    answer, which is taken off the text; ``None`` for any other prompt, and without the file's original and current
    text in it.
    """
    last = prompt.rfind("<|file_sep|>")
    updated = _UPDATED.match(prompt, last) if last >= 0 else None
    if updated is None:
        return None
    current = f"<|file_sep|>current/{updated['file']}\n"
    start = prompt.rfind(current, 0, last)
    if start < 0 or f"<|file_sep|>original/{updated['file']}\n" not in prompt[:start]:
        return None
    part = prompt[start + len(current) : last].replace("<|cursor|>", "")
    part = part.removeprefix(updated["begun"])
    return Predicted("sweep", part, f"sweep {updated['file'].partition(':')[0]}")


def _end(prompt: str, ends: tuple[str, ...]) -> str | None:
    """The longest of ``ends`` with which the prompt ends; ``None`` if it ends with none."""
    return max((end for end in ends if prompt.endswith(end)), key=len, default=None)


def _path(prompt: str, form: Form, before: int) -> str:
    """The file's name in the prompt, before an offset; empty if there is none."""
    start = prompt.rfind(form.path, 0, before)
    return prompt[start + len(form.path) : before].partition("\n")[0] if start >= 0 else ""
