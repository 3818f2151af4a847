"""Answers that hold the new text in another form: JSON, a diff, tags of the model's own.

Knows these forms, and the languages that are written like them: then an answer that looks so is text. A diff is only
recognised: applying it is left to ``apply``, which knows no answers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from editd.syntax.language import MARKUP, language_named

OF_JSON = frozenset({"json", "jsonc", "json5", "jsonl", "ndjson", "ipynb"})
"""Languages that are JSON, or nearly."""

_IN_JSON = "The model answered in JSON and not with the new text: try again, or use another model."

_TEXT_NAMES = [
    "code",
    "text",
    "content",
    "contents",
    "new_code",
    "newcode",
    "new_text",
    "new_content",
    "updated_code",
    "updated_text",
    "updated_content",
    "updatedcode",
    "modified_code",
    "edited_code",
    "rewritten",
    "rewritten_text",
    "rewritten_code",
    "result",
    "answer",
    "output",
    "response",
    "file_content",
    "filecontent",
    "full_code",
    "replacement",
    "arguments",
    "parameters",
    "input",
]

_WRAPPERS = [
    "code",
    "updated-code",
    "updated_code",
    "new_code",
    "answer",
    "response",
    "output",
    "result",
    "file",
    "file_content",
    "content",
    "text",
    "document",
    "solution",
    "rewritten",
    "updated",
    "update",
    "final",
    "final_answer",
    "artifact",
    "antartifact",
    "write_to_file",
    "write_file",
    "tool_call",
    "tool_code",
    "function_call",
    "invoke",
    "edit",
    "replace",
]

_TEXT_ITEM = re.compile(rf'"(?P<name>{"|".join(_TEXT_NAMES)})"\s*:\s*["{{]', re.IGNORECASE)

_TAGGED = re.compile(
    r"<(?P<name>[A-Za-z][\w:-]*)(?:\s[^<>\n]*)?>(?P<inner>.*)</(?P=name)>",
    re.DOTALL | re.IGNORECASE,
)

_ELEMENT = re.compile(r"^\s*</?\w", re.MULTILINE)

_DIFF = re.compile(
    r"diff --git |--- (?:a/|\S+\n\+\+\+ )|--- \S+$|@@ .*@@|\*{3} Begin Patch|(?:<{5,9}|-{5,9}) ?SEARCH"
)

_SEARCH = re.compile(r"(?:<{5,9}|-{5,9}) ?SEARCH>?\s*$")


@dataclass(frozen=True, slots=True)
class Content:
    """The content of an answer in another form.

    text: the new text. diff: a diff, or search/replace blocks, from which the text must be made. refusal: why there
    is neither, in a sentence.
    """

    text: str = ""
    diff: str = ""
    refusal: str = ""


def may_have_form(info: str, first_line: str, old: str, language: str) -> bool:
    """Whether a body that begins so may be JSON or a diff that holds the new text, so that its end must be awaited:
    its fence or first line is a diff's, and the file is none; or it begins with ``{`` or ``[`` where the old text
    does not.

    info: the words of its fence. first_line: stripped. old: the text that the answer replaces. language: of the
    file; in JSON only ``{`` with a name for the text counts.
    """
    fence_language = language_named(info.split(maxsplit=1)[0]) if info else ""
    if fence_language == "diff" or _DIFF.match(first_line):
        return language != "diff"
    return _may_be_json(first_line, old, language)


def content_of(body: str, old: str, language: str, instruction: str) -> Content | None:
    """The content of an answer in one of the forms: JSON, else a diff, else tags around all of it
    (what is inside may have a form again). ``None`` if ``body`` is the new text itself.

    JSON without a single text in it becomes a refusal, a diff is not applied. old: the text that
    the answer replaces. language: of the file. instruction: tags that it names are text.
    """
    bare = body.strip()
    if bare and _may_be_json(bare, old, language) and (value := _parsed_json(bare)) is not None:
        text = _text_of(value)
        return Content(refusal=_IN_JSON) if text is None else Content(text=text)
    if language != "diff" and _is_diff(body, old):
        return Content(diff=body)
    if (inner := _between_tags(bare, old, language, instruction)) is not None:
        return content_of(inner, old, language, instruction) or Content(text=inner)
    return None


def holds_text(line: str, old: str) -> bool:
    """Whether a line of JSON has a whole text as a string, under a name for it that the old text does not have."""
    found = _TEXT_ITEM.search(line)
    return found is not None and f'"{found["name"]}"' not in old and "\\n" in line


def _may_be_json(text: str, old: str, language: str) -> bool:
    """Whether a text begins like an answer in JSON: with ``{`` or ``[`` where the old text does
    not. In a file of JSON itself only with ``{`` and, among its first words, a name for the text.
    """
    if language in OF_JSON:
        return text[:1] == "{" and holds_text(text, old)
    return text[:1] in "{[" and old.strip()[:1] != text[:1]


def _parsed_json(text: str) -> object | None:
    """The JSON value of ``text``, control characters in strings allowed; ``None`` if it is no JSON,
    or neither an object nor an array that has one.
    """
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    items = value if isinstance(value, list) else [value]
    return value if any(isinstance(item, dict) for item in items) else None


def _text_of(value: object) -> str | None:
    """The only text that a JSON object has under a name for it (``code``, ``content`` …, in any case), or in the
    object under such a name.

    ``None`` for anything but an object, for one with no or several such names or a list under it, or with filled
    lists or objects besides, such as edits.
    """
    if not isinstance(value, dict):
        return None
    texts = [text for name, text in value.items() if str(name).lower() in _TEXT_NAMES]
    others = [item for name, item in value.items() if str(name).lower() not in _TEXT_NAMES]
    if len(texts) != 1 or any(isinstance(item, dict | list) and item for item in others):
        return None
    return texts[0] if isinstance(texts[0], str) else _text_of(texts[0])


def _is_diff(text: str, old: str) -> bool:
    """Whether ``text`` begins with a diff's head or has search/replace marks; or all its lines
    begin with ``-``, ``+``, ``@``, a blank or a backslash, and those to stay or to go, without
    their sign, are old lines.

    Not if the lines with signs are themselves old lines, as in a list.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if any(map(_DIFF.match, lines[:1])) or any(map(_SEARCH.match, lines)):
        return True
    known = {line.strip() for line in old.split("\n")}
    if not {"-", "+"} & {line[0] for line in lines} or not all(
        line[0] in "-+ @\\" for line in lines
    ):
        return False
    old_lines = [line for line in lines if line[0] in "- "]
    return all(line[1:].strip() in known for line in old_lines) and not all(
        line.strip() in known for line in lines if line[0] in "-+"
    )


def _between_tags(text: str, old: str, language: str, instruction: str) -> str | None:
    """The text between two tags around a whole answer, without CDATA's marks.

    ``None`` without such tags, and for an element of the text itself: the old text begins with it,
    the instruction names it, or the file may be markup and the tag is none with which models wrap
    answers.
    """
    found = _TAGGED.fullmatch(text)
    if found is None:
        return None
    name = found["name"].lower()
    is_own = (
        re.match(rf"\s*<{re.escape(name)}\b", old, re.IGNORECASE)
        or f"<{name}>" in instruction.lower()
    )
    may_be_markup = (
        language in MARKUP or not language or not old.strip() or bool(_ELEMENT.search(old))
    )
    if is_own or (may_be_markup and name not in _WRAPPERS):
        return None
    inner = found["inner"].removeprefix("\n")
    cdata = re.fullmatch(r"\s*<!\[CDATA\[\n?(.*?)\]\]>\s*", inner, re.DOTALL)
    return cdata[1] if cdata else inner
