"""How search/replace blocks are written: between signs, in tags, and as calls of editing tools in JSON.

Signs are those of aider (``<<<<<<< SEARCH``, ``=======``, ``>>>>>>> REPLACE``), of Cline (``------- SEARCH``,
``+++++++ REPLACE``) and of git's conflicts; five to nine of them are accepted, since models miscount. Tags and keys are
pairs such as ``old_string`` and ``new_string``, whatever tool they are for.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from editd.apply.paste.copy_repairs import unescaped
from editd.apply.paste.file_names import FileMention, cleaned, is_file
from editd.apply.paste.markers import is_marker
from editd.apply.paste.substitutions import Substitution
from editd.apply.reading import NoReadingError

_SEARCH = re.compile(r"\s*(?:<{5,9}|-{5,9}) ?SEARCH>?:?\s*", re.IGNORECASE)
_MIDDLE = re.compile(r"\s*={5,9}>?\s*")
_REPLACE = re.compile(r"\s*(?:>{5,9}|\+{5,9}) ?REPLACE>?\s*", re.IGNORECASE)
_BARE_END = re.compile(r"\s*(?:>{5,9}|\+{5,9})\s*")
_OPENS, _CLOSES = re.compile(r"\s*<{5,9} ?[\w(].*"), re.compile(r"\s*>{5,9}(?: ?[\w(].*)?")
_START = re.compile(r":start_line: *(\d+) *")
_NOTE = re.compile(r":(?:start|end)_line:.*|-{5,9}\s*")  # what Roo Code writes below the first sign

_THING = r"(?:[_-]?(?:str(?:ing)?|text|code|content|block|lines?|snippet|value|pattern))?"
_OLD = rf"(?:search|find|old|original|before){_THING}"
_NEW = rf"(?:replace(?:ment|_with|with)?|new|updated?|after|modified){_THING}"
_OLD_KEY, _NEW_KEY = re.compile(_OLD, re.IGNORECASE), re.compile(_NEW, re.IGNORECASE)
_SURE_KEY = re.compile(
    r"(?:old|search|original)_?(?:str(?:ing)?|text|code)", re.IGNORECASE
)  # of tools only
_EDITS = ("edits", "replacements", "changes")  # keys of a call that hold its pairs
_FILE_KEY = re.compile(
    r"(?:target_?|relative_?|absolute_?|full_?)?(?:file_?)?(?:path|name)|(?:target_?)?file|uri",
    re.IGNORECASE,
)
_TAG = re.compile(
    rf"<(?P<tag>(?P<old>{_OLD})|(?P<new>{_NEW})|(?:parameter|param|arg|argument|field)\s+name=[\"'](?:(?P<old_name>{_OLD})|"
    rf"(?P<new_name>{_NEW}))[\"'])(?P<attributes>\s[^<>\n]*)?>",
    re.IGNORECASE,
)
_LINE = re.compile(r"\b(?:start_?)?lines?\s*=\s*[\"']?(\d+)", re.IGNORECASE)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)
_BROKEN = (
    "The search/replace block at line {} has no end: it needs a line of ======= and one that says "
    "REPLACE."
)


def without_escapes(text: str) -> str:
    """The text with all entities (``&lt;``) decoded, if some line begins a search/replace block whose signs are
    entities; another text as it is.
    """
    if not re.search(r"(?m)^\s*(?:&lt;){5,9} ?SEARCH", text):
        return text
    return "\n".join(unescaped(text.split("\n")))


def is_search_replace(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether some line opens a block between signs and is not a line of the buffer."""
    return any(_SEARCH.fullmatch(line) and line.strip() not in known for line in lines)


def search_blocks(lines: Sequence[str], known: Collection[str]) -> list[Substitution]:
    """The search/replace blocks of a paste in order: those between signs, and outside of these the pairs in tags, else
    those in JSON; empty if it has none.

    Conflicts of git count only if there is no other block. known: the buffer's lines, stripped, which are never signs
    or tags. Raises ``NoReadingError`` for a block without an end or a middle, an old text in tags without a new one
    beside others that have one, and a block that leaves lines out with a marker.
    """
    found = [*_between_signs(lines, known)]
    text = "\n".join(lines)
    taken = {number for block in found for number in range(block.at, block.end)}
    others = [*_tagged(text, known)] or [*_tool_calls(text, known)]
    found += [block for block in others if block.at not in taken]
    found = found or [*_conflicts(lines, known)]
    for block in found:
        if any(is_marker(x, known) for x in block.old) or any(
            is_marker(x, {old.strip() for old in block.old}) for x in block.new
        ):
            raise NoReadingError(
                f"The search/replace block at line {block.at + 1} leaves lines out (“...”); write "
                "them.",
                block.at,
            )
    return sorted(found, key=lambda block: block.at)


# --- between signs ---


def _between_signs(lines: Sequence[str], known: Collection[str]) -> Iterator[Substitution]:
    """The blocks between signs, in order, with the line number that Roo Code writes below the first sign. Raises
    ``NoReadingError`` for a block without an end or a middle. known: the buffer's lines, stripped, none of which opens
    a block.
    """
    position = 0
    while position < len(lines):
        start = position
        position += 1
        if not _SEARCH.fullmatch(lines[start]) or lines[start].strip() in known:
            continue
        end = _end_of(lines, start)
        notes = start + 1
        while notes < end and _NOTE.fullmatch(lines[notes]) and _START.match(lines[start + 1]):
            notes += 1
        numbered = _START.fullmatch(lines[start + 1])
        block = _cut(lines, start, notes, end)
        yield replace(block, line=int(numbered[1]) - 1) if numbered else block
        position = end + 1


def _end_of(lines: Sequence[str], start: int) -> int:
    """The number of the line that closes the block that opens at ``start``, one with the word REPLACE before bare
    signs. Raises ``NoReadingError`` if another block opens first, or nothing closes it.
    """
    below = range(start + 1, len(lines))
    last = next((n for n in below if _SEARCH.fullmatch(lines[n])), len(lines))
    for closes in (_REPLACE, _BARE_END):
        for position in range(start + 1, last):
            if closes.fullmatch(lines[position]):
                return position
    raise NoReadingError(_BROKEN.format(start + 1), start)


def _cut(lines: Sequence[str], start: int, first: int, end: int) -> Substitution:
    """The block between the signs at ``start`` and ``end``, whose old lines begin at ``first``.

    If several lines may part old from new, those with as many signs as the first line come before all others; the first
    is taken, and all ways are its ``splits``. Raises ``NoReadingError`` if no line parts them.
    """
    middles = [n for n in range(first, end) if _MIDDLE.fullmatch(lines[n])]
    if not middles:
        raise NoReadingError(_BROKEN.format(start + 1), start)
    size = _num_signs(lines[start])
    middles = [n for n in middles if _num_signs(lines[n]) == size] or middles
    splits = [(tuple(lines[first:n]), tuple(lines[n + 1 : end])) for n in middles]
    old, new = splits[0]
    return Substitution(
        old, new, start, end=end + 1, splits=tuple(splits) if len(splits) > 1 else ()
    )


def _num_signs(line: str) -> int:
    """How often a line repeats its first sign at its beginning."""
    bare = line.strip()
    return next((n for n, sign in enumerate(bare) if sign != bare[0]), len(bare))


def _conflicts(lines: Sequence[str], known: Collection[str]) -> Iterator[Substitution]:
    """Blocks that are written as conflicts of git, with any label, if the buffer has all their old lines and these are
    not blank; others are left out. Raises nothing. known: the buffer's lines, stripped, none of which opens a block.
    """
    start = -1
    for number, line in enumerate(lines):
        if _OPENS.fullmatch(line) and line.strip() not in known:
            start = number
        elif _CLOSES.fullmatch(line) and start >= 0:
            if any(_MIDDLE.fullmatch(x) for x in lines[start:number]):
                block = _cut(lines, start, start + 1, number)
                bare = [x.strip() for x in block.old if x.strip()]
                if bare and all(x in known for x in bare):
                    yield replace(block, end=number + 1)
            start = -1


# --- in tags ---


def _tagged(text: str, known: Collection[str]) -> Iterator[Substitution]:
    """Pairs of an old and a new text in tags, in order, each closed by a tag of its kind, with the line number that the
    old text's tag states; a tag without an end is passed over.

    known: the file's lines, stripped; a tag that is one of them is text. An old text that is not in the file counts
    only if its tag is a tool's own (``old_string``). Raises ``NoReadingError`` after the last pair if some old text had
    no new one; without any pair it yields nothing and raises nothing.
    """
    starts = _starts(text)
    old: tuple[str, re.Match[str]] | None = None
    alone: re.Match[str] | None = None
    has_pair = False
    position = 0
    while (found := _TAG.search(text, position)) is not None:
        is_old = bool(found["old"] or found["old_name"])
        kind = _OLD if is_old else _NEW
        tag = found["tag"].split()[0]
        closing = re.compile(rf"</(?:{re.escape(tag)}|{kind})>", re.IGNORECASE).search(
            text, found.end()
        )
        position = found.end() if closing is None else closing.end()
        if closing is None or found[0].strip() in known:
            continue
        body = _CDATA.sub(r"\1", text[found.end() : closing.start()])
        if is_old:
            alone = alone or (old[1] if old is not None else None)
            is_call = _SURE_KEY.fullmatch(found["old"] or found["old_name"])
            old = (body, found) if is_call or _stands_in(body, tag, known) else None
        elif old is not None:
            first = bisect_right(starts, old[1].start()) - 1
            line = _LINE.search(old[1]["attributes"] or "")
            yield Substitution(
                _lines_of(old[0]),
                _lines_of(body),
                first,
                int(line[1]) - 1 if line else None,
                bisect_right(starts, closing.start()),
                is_text="\n" not in old[0],
            )
            has_pair, old = True, None
    alone = alone or (old[1] if old is not None else None)
    if has_pair and alone is not None:
        number = bisect_right(starts, alone.start())
        raise NoReadingError(
            f"The old text at line {number} of the paste has no new one; add it.", number - 1
        )


def _stands_in(text: str, tag: str, known: Collection[str]) -> bool:
    """Whether each line of a text that is not blank is a line of the buffer or a part of one; false for a blank text,
    and if the buffer itself has the tag. known: the buffer's lines, stripped.
    """
    rows = [x.strip() for x in text.split("\n") if x.strip()]
    if any(f"<{tag}" in x for x in known):
        return False
    return bool(rows) and all(row in known or any(row in x for x in known) for row in rows)


def _lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text between tags, without the line ends beside the tags."""
    bare = text.removeprefix("\n").rstrip(" \t").removesuffix("\n")
    return tuple(bare.split("\n")) if bare else ()


def _starts(text: str) -> list[int]:
    """The offsets at which the lines of a text begin."""
    return [0, *(found.end() for found in re.finditer("\n", text))]


# --- as calls of tools ---


def _tool_calls(text: str, known: Collection[str]) -> Iterator[Substitution]:
    """Pairs of an old and a new text in values of JSON that begin a line of the paste (``{`` or ``[``); values that are
    no valid JSON are passed over. Each with the file that its value names, and the lines of the paste that the value
    takes; nothing if the text has no key for an old text. known: the buffer's lines, stripped, as in ``_pairs``.
    """
    if not re.search(rf"[\"']{_OLD}\\?[\"']\s*:", text, re.IGNORECASE):
        return
    starts = _starts(text)
    position = 0
    decoder = json.JSONDecoder(strict=False)
    for number, start in enumerate(starts):
        if start < position:
            continue
        begin = start + len(text[start:]) - len(text[start:].lstrip(" \t"))
        if text[begin : begin + 1] not in ("{", "["):
            continue
        try:
            value, position = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        end = bisect_right(starts, position - 1)
        for old, new, name, every in _pairs(value, "", known):
            named = FileMention(number, (cleaned(name),)) if name else None
            yield Substitution(
                tuple(old.split("\n")),
                tuple(new.split("\n")) if new else (),
                number,
                end=end,
                is_text=True,
                is_everywhere=every,
                named=named,
            )


def _pairs(
    value: Any, name: str, known: Collection[str], *, is_call: bool = False
) -> Iterator[tuple[str, str, str, bool]]:
    """The old and the new text of each edit in a value of JSON, its file's name (else ``name``, that of the value
    around it), and whether all locations are meant; nothing for values that hold no edit.

    A string of JSON is read as what it holds, but only as the value itself or under ``arguments``, ``input`` or
    ``args``; malformed ones hold no edit. A pair counts if its old text is not blank and either its key is a tool's own
    (``old_string``), a file is named, the file has all its filled lines (``known``: those, stripped), or ``is_call``:
    the value stands below a key such as ``edits``. Nothing is looked for inside an object that is a pair.
    """
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(value, strict=False)  # arguments, as OpenAI's API sends them
        except (ValueError, RecursionError):
            return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from _pairs(item, name, known, is_call=is_call)
    if not isinstance(value, dict):
        return
    texts = {str(key): x for key, x in value.items() if isinstance(x, str)}
    name = next(
        (x for key, x in texts.items() if _FILE_KEY.fullmatch(key) and is_file(x, "")), name
    )
    old = next((key for key in texts if _OLD_KEY.fullmatch(key)), None)
    new = next((key for key in texts if _NEW_KEY.fullmatch(key)), None)
    if old is not None and new is not None and texts[old].strip():
        shown = [x.strip() for x in texts[old].split("\n") if x.strip()]
        if is_call or _SURE_KEY.fullmatch(old) or name or all(x in known for x in shown):
            every = next(
                (x for key, x in value.items() if key.lower().replace("_", "") == "replaceall"),
                False,
            )
            yield texts[old], texts[new], name, every is True
            return
    for key, item in value.items():
        if isinstance(item, dict | list) or (
            isinstance(item, str) and key in ("arguments", "input", "args")
        ):
            yield from _pairs(item, name, known, is_call=is_call or key in _EDITS)
