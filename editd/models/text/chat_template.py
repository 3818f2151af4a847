"""A model's own chat template: found in the folder, rendered, and its quirks evened out.

transformers renders it. Thinking is turned off or ended at once, a system message is kept even if the template has no
such role, nothing depends on today's date or on chance, and a template that never ends is ended by counting the lines
it runs: the same limit on every machine. ``chat_renderer`` knows no file and no tokenizer: it takes any function that
renders a model's template. The messages are left to ``prompts``.
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

_CLOCK = "strftime_now"  # the function by which templates ask for the time
_DIRECTIVES = re.compile(r"%-?[aAbBcdDeFGhHIjklmMnpStTuUVwWxXyY]")  # of strftime

_UNFINISHED = {
    "<think>": "\n\n</think>\n\n",  # R1's children and Qwen3 "thinking": as Qwen3 skips a thought
    "<|start|>assistant": "<|channel|>final<|message|>",  # gpt-oss: the channel that users see
}

_THOUGHT_END = re.compile(r"(</[\w:]*think(?:ing)?>|\[/THINK\]|<channel\|>)\Z", re.IGNORECASE)
_LONGEST_END = 64  # characters


def load_chat(folder: Path) -> RenderChat | None:
    """The chat template of the model in ``folder`` as a function from messages to the prompt's
    text, as ``chat_renderer``.

    Reads the template (``_find_template``) and the special tokens of ``tokenizer_config.json``;
    imports transformers. ``None`` if the model has no template, or one that drops the user's words.
    Raises ``OSError`` or ``UnicodeDecodeError`` if the template's file cannot be read.
    """
    settings = json_object(folder / "tokenizer_config.json")
    template = _find_template(folder, settings)
    if not template:
        return None
    if _CLOCK in template:
        template = _clock_macro(template) + template
    words: dict[str, Any] = {
        name: _token_text(settings[name]) for name in _WORD_TOKENS if settings.get(name)
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
    """The source of the model's usual template: ``chat_template.jinja``, else ``chat_template`` of
    the settings, else of ``chat_template.json``.

    Of several by name, the one called ``default``. ``None`` if there is none, or it is no text.
    settings: the content of ``tokenizer_config.json``. Raises ``OSError`` or ``UnicodeDecodeError``
    if ``chat_template.jinja`` cannot be read.
    """
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


def _clock_macro(template: str) -> str:
    """The text of a Jinja macro, to be put before ``template``, that replaces the function
    ``_CLOCK`` there and always writes ``_TODAY``.

    It knows the directives of ``strftime`` that ``template`` has. transformers lets no function of
    ours into a template. The empty expression at the end keeps a line end with which the template
    may begin.
    """
    text = "format"
    for directive in sorted({*_DIRECTIVES.findall(template)}):
        text += f"|replace({directive!r}, {_TODAY.strftime(directive)!r})"
    return f"{{% macro {_CLOCK}(format) %}}{{{{ {text} }}}}{{% endmacro %}}{{{{ '' }}}}"


def _token_text(value: Any) -> str:
    """The text of a special token in ``tokenizer_config.json``."""
    return str(value.get("content")) if isinstance(value, dict) else str(value)


def chat_renderer(template: RenderTemplate) -> RenderChat | None:
    """A function from messages to text, up to the assistant's first word; ``None`` (with a warning
    logged) if the template drops the user's words.

    Renders probes first. If the template rejects or drops a system message, the function moves its
    words to the head of the next message (``folded``). If it leaves the assistant thinking, the
    thought is closed at once, and a thought that the template closes itself is followed by the
    blanks that it puts there in earlier turns. The function raises ``ModelUnsupported`` for a
    template that does not end, and passes on what the template raises.
    """

    def render_as_is(messages: Messages) -> str:
        endless = ModelUnsupported(_ENDLESS)
        with _fixed_randomness(), _line_limit(_LINES + _LINES_PER_MESSAGE * len(messages), endless):
            return template(list(messages), TEMPLATE_SETTINGS)

    def render(messages: Messages) -> str:
        text = _with_thought_ended(render_as_is(messages))
        return text + blanks.get(_thought_end(text), "")

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
    """Whether ``render``, given a system and a user message, returns a text with the words of both;
    false if it raises.
    """
    text = _try_rendering(render, ("system", "⟦rules⟧"), ("user", "⟦words⟧"))
    return "⟦rules⟧" in text and "⟦words⟧" in text


def _try_rendering(render: RenderChat, *probe: tuple[str, str]) -> str:
    """The text of a conversation of (role, content) pairs; empty, and logged, if the template
    raises or does not end.
    """
    from jinja2.exceptions import TemplateError

    try:
        return render([{"role": role, "content": content} for role, content in probe])
    except (TemplateError, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        log.debug("chat template rejects the probe: %s", error)
    except ModelUnsupported as error:
        log.warning("%s", error)
    return ""


def folded(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """A new list of the messages without the system messages, whose words are put before those of
    the next message, a blank line apart.

    System messages that no other follows become one last user message. The messages given are not
    changed.
    """
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


def _with_thought_ended(text: str) -> str:
    """``text`` without blanks at its end and with the thought closed, if it ends with ``<think>``
    or gpt-oss's open assistant turn; else ``text`` unchanged.
    """
    for ending, rest in _UNFINISHED.items():
        if text.rstrip().endswith(ending):
            return text.rstrip() + rest
    return text


def _thought_end(text: str) -> str:
    """The word for the end of a thought (``</think>``, ``[/THINK]``, …) that ``text`` ends with;
    empty if it ends with anything else, a blank after that word included.
    """
    found = _THOUGHT_END.search(text)
    return found[0] if found else ""


def _blanks_after_thoughts(render: RenderChat) -> dict[str, str]:
    """The blanks that the template puts between the end of a thought and an earlier answer, as
    ``{end word: blanks}``.

    Empty if the template's prompts do not end with the end of a thought, or its earlier turns have
    no blanks there. GLM-4.5's prompts end with ``<think></think>``, and its turns have a line end
    there. Renders two probes.
    """
    if not (closer := _thought_end(_try_rendering(render, ("user", "⟦words⟧")))):
        return {}
    turns = _try_rendering(
        render, ("user", "⟦words⟧"), ("assistant", "⟦answer⟧"), ("user", "⟦more⟧")
    )
    found = re.search(rf"{re.escape(closer)}(\s+)⟦answer⟧", turns)
    return {closer: found[1]} if found else {}


def turn_end_ids(
    render: RenderChat | None, id_of: Callable[[str], int | None], ends: Collection[int]
) -> frozenset[int]:
    """The token of ``ends`` that the template writes after an assistant's answer, as a set of one.

    The first word after the answer, blanks skipped: the longest text of at most 64 characters that
    is a token of ``ends``. Empty if there is none, without a template (``None``), and if the
    template rejects a conversation of three turns.

    id_of: the id of the token with exactly that text; ``None`` if there is none.
    ends: tokens that may end an answer, as far as is known otherwise.
    """
    if render is None:
        return frozenset()
    turns = _try_rendering(
        render, ("user", "⟦words⟧"), ("assistant", "⟦answer⟧"), ("user", "⟦more⟧")
    )
    _, _, behind = turns.partition("⟦answer⟧")
    behind = behind.lstrip()[:_LONGEST_END]
    ids = (id_of(behind[:size]) for size in range(len(behind), 0, -1))
    return frozenset(islice((found for found in ids if found is not None and found in ends), 1))


@contextmanager
def _fixed_randomness() -> Iterator[None]:
    """A context that seeds the global ``random`` with 0, for Jinja's filter of that name, and
    restores its state at the end.
    """
    before = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(before)


@contextmanager
def _line_limit(lines: int, error: Exception) -> Iterator[None]:
    """A context that raises ``error`` in the code within once it has run more than ``lines`` lines
    or calls, in whatever Python functions.

    Sets this thread's trace function and restores the one before at the end. One long call of a
    library in C counts as one line.
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
