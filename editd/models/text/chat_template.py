"""A model's own chat template: where it is in the folder, how it is rendered, and its quirks.

transformers renders it. Thinking is turned off or ended at once, a system message is kept even if the
template has no such role, nothing depends on today's date or on chance, and a template that never ends is ended by
counting the lines it runs: the same limit on every machine. ``chat_renderer`` knows no file and no
tokenizer: it takes any function that renders a model's template. The messages are left to ``prompts``.
"""

from __future__ import annotations

import logging
import random
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from editd.errors import ModelUnsupported
from editd.files.local_cache import json_object

log = logging.getLogger(__name__)

_WORD_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token")

# Of Python, which is what a template becomes. To compile one takes some 100,000.
_LINES, _LINES_PER_MESSAGE = 2_000_000, 5000
_ENDLESS = "The chat template of this model does not come to an end: choose another model."

Messages = Sequence[dict[str, str]]
RenderChat = Callable[[Messages], str]
RenderTemplate = Callable[[Messages, Mapping[str, Any]], str]
"""A template as it is: messages and the template's settings in, text out."""

# Some templates write today's date into the prompt, which would change answers overnight and empty the
# prefix cache. This is the date that Llama's writes where no clock is to be had.
_TODAY = datetime(2024, 7, 26)  # noqa: DTZ001  no time zone: it is the same day everywhere

TEMPLATE_SETTINGS: dict[str, Any] = {
    # A rewrite needs no thinking; the templates of Qwen3, SmolLM3 and GLM ask for the first name,
    # those of DeepSeek V3.1 and Granite for the second. Templates ignore what they do not know.
    "enable_thinking": False,
    "thinking": False,
    "date_string": f"{_TODAY:%d %b %Y}",
}


def load_chat(folder: Path) -> RenderChat | None:
    """The template of the model in ``folder`` as a function, ``None`` where it has none."""
    settings = json_object(folder / "tokenizer_config.json")
    template = _find_template(folder, settings)
    if not template:
        return None
    if _CLOCK in template:
        template = _stopped_clock(template) + template
    words: dict[str, Any] = {
        name: _word(settings[name]) for name in _WORD_TOKENS if settings.get(name)
    }

    # Not with the first rendering, whose work is counted.
    from transformers.utils.chat_template_utils import render_jinja_template

    def render(messages: Messages, template_settings: Mapping[str, Any]) -> str:
        texts: Any = render_jinja_template(
            [list(messages)],
            chat_template=template,
            add_generation_prompt=True,
            **words,
            **template_settings,
        )
        return str((texts[0] if isinstance(texts, tuple) else texts)[0])

    return chat_renderer(render)


def _find_template(folder: Path, settings: dict[str, Any]) -> str | None:
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    template = settings.get("chat_template")
    if template is None:
        template = json_object(folder / "chat_template.json").get("chat_template")
    if isinstance(template, list):  # several by name: tool use, retrieval, and the usual one
        entries = [entry for entry in template if isinstance(entry, dict)]
        template = next((e.get("template") for e in entries if e.get("name") == "default"), None)
    return template if isinstance(template, str) else None


_CLOCK = "strftime_now"  # the function by which templates ask for the time
_DIRECTIVES = re.compile(r"%-?[aAbBcdDeFGhHIjklmMnpStTuUVwWxXyY]")  # of strftime


def _stopped_clock(template: str) -> str:
    """A macro that stands in for ``_CLOCK`` in the ``template`` behind it, and says ``_TODAY``.

    transformers lets no function of ours into a template. The empty expression at the end keeps a line
    end with which the template may begin.
    """
    text = "format"
    for directive in sorted({*_DIRECTIVES.findall(template)}):
        text += f"|replace({directive!r}, {_TODAY.strftime(directive)!r})"
    return f"{{% macro {_CLOCK}(format) %}}{{{{ {text} }}}}{{% endmacro %}}{{{{ '' }}}}"


def _word(value: Any) -> str:
    return str(value.get("content")) if isinstance(value, dict) else str(value)


def chat_renderer(template: RenderTemplate) -> RenderChat | None:
    """Messages to text, up to the assistant's first word; ``None`` where the template is no use.

    Where a template rejects or drops a system message, its words stand at the head of the first
    user message instead. Where it leaves the assistant thinking, the thought is closed at once, and an
    empty thought is followed by the blanks that the template puts there in earlier turns.
    """

    def render_as_is(messages: Messages) -> str:
        endless = ModelUnsupported(_ENDLESS)
        with _same_chances(), _at_most(_LINES + _LINES_PER_MESSAGE * len(messages), endless):
            return template(list(messages), TEMPLATE_SETTINGS)

    def render(messages: Messages) -> str:
        text = _past_thinking(render_as_is(messages))
        return text + blanks.get(_closer_of(text), "")

    def render_folded(messages: Messages) -> str:
        return render(folded(messages))

    blanks: dict[str, str] = {}
    for candidate in (render, render_folded):
        if _keeps_both_roles(candidate):
            blanks |= _blanks_after_thoughts(render_as_is)
            return candidate
    log.warning("The chat template of this model cannot be used; edits are sent as plain text.")
    return None


def _keeps_both_roles(render: RenderChat) -> bool:
    text = _tried(render, ("system", "⟦rules⟧"), ("user", "⟦words⟧"))
    return "⟦rules⟧" in text and "⟦words⟧" in text


def _tried(render: RenderChat, *probe: tuple[str, str]) -> str:
    """The text of a conversation of roles and contents; empty where the template rejects it."""
    from jinja2.exceptions import TemplateError

    try:
        return render([{"role": role, "content": content} for role, content in probe])
    except (TemplateError, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        log.debug("chat template rejects the probe: %s", error)
    except ModelUnsupported as error:
        log.warning("%s", error)
    return ""


def folded(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """System messages at the head of the next message, for templates that know no such role."""
    without: list[dict[str, str]] = []
    rules: list[str] = []
    for message in messages:
        if message["role"] == "system":
            rules.append(message["content"])
        else:
            without.append({**message, "content": "\n\n".join([*rules, message["content"]])})
            rules = []
    if rules:
        without.append({"role": "user", "content": "\n\n".join(rules)})
    return without


def _past_thinking(text: str) -> str:
    """With what stands between the assistant's turn and its answer, where a template leaves it out."""
    for ending, rest in _UNFINISHED.items():
        if text.rstrip().endswith(ending):
            return text.rstrip() + rest
    return text


_UNFINISHED = {
    "<think>": "\n\n</think>\n\n",  # R1's children and Qwen3 "thinking": as Qwen3 skips a thought
    "<|start|>assistant": "<|channel|>final<|message|>",  # gpt-oss: the channel that users see
}

_CLOSED = re.compile(r"(</[\w:]*think(?:ing)?>|\[/THINK\]|<channel\|>)\Z", re.IGNORECASE)


def _closer_of(text: str) -> str:
    """The end of a thought that ``text`` ends with, without a blank behind it; else empty."""
    found = _CLOSED.search(text)
    return found[0] if found else ""


def _blanks_after_thoughts(render: RenderChat) -> dict[str, str]:
    """The blanks that the template puts between the end of a thought and an answer, by that end; empty if its prompts
    end otherwise.

    GLM-4.5's prompts end with ``<think></think>``, and its turns have a line end there.
    """
    if not (closer := _closer_of(_tried(render, ("user", "⟦words⟧")))):
        return {}
    turns = _tried(render, ("user", "⟦words⟧"), ("assistant", "⟦answer⟧"), ("user", "⟦more⟧"))
    found = re.search(rf"{re.escape(closer)}(\s+)⟦answer⟧", turns)
    return {closer: found[1]} if found else {}


def turn_end_ids(
    render: RenderChat | None, id_of: Callable[[str], int | None], ends: Collection[int]
) -> frozenset[int]:
    """The token of ``ends`` that the template writes behind an assistant's answer, as a set; empty if it writes another.

    id_of: the id of the token with exactly that text. ends: tokens that may end an answer by what else is
    known of them.
    """
    if render is None:
        return frozenset()
    turns = _tried(render, ("user", "⟦words⟧"), ("assistant", "⟦answer⟧"), ("user", "⟦more⟧"))
    _, _, behind = turns.partition("⟦answer⟧")
    behind = behind.lstrip()[:_LONGEST_END]
    ids = (id_of(behind[:size]) for size in range(len(behind), 0, -1))
    return frozenset(islice((found for found in ids if found is not None and found in ends), 1))


_LONGEST_END = 64  # characters


@contextmanager
def _same_chances() -> Iterator[None]:
    """Make draws of ``random``, such as those of Jinja's filter of that name, the same each time; restores its state."""
    before = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(before)


@contextmanager
def _at_most(lines: int, error: Exception) -> Iterator[None]:
    """Raise ``error`` in the code inside once it has run so many lines, in whatever functions.

    One long call of a library in C counts as one line.
    """
    before = sys.gettrace()

    def count(_frame: FrameType, _event: str, _arg: Any) -> Any:
        nonlocal lines
        lines -= 1
        if lines < 0:
            raise error
        return count

    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
