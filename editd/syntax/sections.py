"""Containers in sections: tables of TOML, sections of INI files, and lines ``key = value``."""

from __future__ import annotations

import re

from editd.syntax.containers import Container, Member

_HEAD = re.compile(r"[^\S\n]*(?P<head>\[\[?[^\[\]\n]+(?:\[[^\]\n]*\][^\[\]\n]*)?\]\]?)[^\S\n]*(?:[#;][^\n]*)?$")
_PAIR = re.compile(r"[^\S\n]*(?:export\s+)?(?P<key>\"[^\"\n]*\"(?:\.\S+)?|'[^'\n]*'|[\w.*@$/+-][^=:#\n]*?)\s*(?P<sign>[=:])")
_REMARK = re.compile(r"\s*[#;!]")


def read_sections(text: str, language: str) -> Container | None:
    """The text's tables and keys; ``None`` if some line is neither."""
    lines = text.split("\n")
    root: list[Member] = []
    table: list[Member] | None = None
    head: tuple[str, int, int, int] | None = None  # key, top, start, end of a table's first line
    top: int | None = None
    at = offset = 0

    remark = 0  # where the last comment ends

    def close() -> None:
        nonlocal table, head
        if head is not None and table is not None:
            key, above, start, stop = head
            end = table[-1].after if table else stop
            inner = Container(min(stop + 1, len(text)), max(end, remark), tuple(table))
            root.append(Member(key, above, start, max(end, stop), max(end, stop), inner))
        table = head = None

    while at < len(lines):
        line = lines[at]
        start, end = offset + len(line) - len(line.lstrip()), offset + len(line.rstrip())
        if not line.strip():
            top = None
        elif _REMARK.match(line):
            top = start if top is None else top
            remark = end
        elif found := _HEAD.match(line):
            if top is not None:
                remark = 0  # it belongs to what is below
            close()
            head, table = (found["head"].replace(" ", ""), start if top is None else top, start, end), []
            top = None
        elif found := _PAIR.match(line):
            last = _last_line(lines, at, found.end(), language)
            after = offset + sum(len(x) + 1 for x in lines[at:last]) + len(lines[last].rstrip())
            stop = after if last > at else offset + len(_without_remark(line, language))
            key = found["key"].strip().strip("\"'")
            one = Member(key, start if top is None else top, start, stop, after, _inline(text, offset + found.end(), stop, language))
            (root if table is None else table).append(one)
            offset += sum(len(x) + 1 for x in lines[at:last])
            at, top = last, None
        elif table is not None and language != "toml" and re.match(r"[\w.*@/-]+\s*$", line.strip()):
            (table).append(Member(line.strip(), start if top is None else top, start, end, end))
            top = None
        else:
            return None
        offset += len(lines[at]) + 1
        at += 1
    close()
    return Container(0, len(text), tuple(root)) if root else None


def _inline(text: str, start: int, end: int, language: str) -> Container | None:
    """An inline table."""
    from editd.syntax.brackets import Reader
    from editd.syntax.dialects import dialect_of

    told = text[start:end]
    dialect = dialect_of("toml")
    if language != "toml" or not told.strip().startswith("{") or dialect is None:
        return None
    reader = Reader(text[:end], "toml", dialect)
    if not reader.is_whole:
        return None
    opened = next((n for n, x in enumerate(reader.tokens) if x[1] >= start and x[0] == "o"), None)
    if opened is None:
        return None
    return reader.container(opened + 1, reader.closing[opened], is_object=True)


def _last_line(lines: list[str], at: int, value: int, language: str) -> int:
    """The last line of a value: of a string of several lines, a list, or deeper lines of INI."""
    told = lines[at][value:].strip()
    if language == "toml":
        for quotes in ('"""', "'''"):
            if told.startswith(quotes) and quotes not in told[3:]:
                return next((n for n in range(at + 1, len(lines)) if quotes in lines[n]), at)
        depth = 0
        for number in range(at, len(lines)):
            bare = re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*", "", lines[number][value if number == at else 0 :])
            depth += sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
            if depth <= 0:
                return number
        return at
    last = at
    while lines[last].endswith("\\") and last + 1 < len(lines):
        last += 1
    below = last + 1
    while below < len(lines) and lines[below][:1] in (" ", "\t") and lines[below].strip() and lines[at][:1].strip():
        last, below = below, below + 1
    return last


def _without_remark(line: str, language: str) -> str:
    if language != "toml":
        return line.rstrip()
    found = re.match(r"(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|[^\"'#])*", line)
    return (found[0] if found else line).rstrip()
