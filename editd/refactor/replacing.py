"""Texts and numbers exchanged for others, by syntax where there is a parser; and what is taken out of a text.

That is lines, a definition, comments, docstrings. Prints are ``printing``'s.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from editd.intent.intents import DeleteDefinition, Replace, ReplaceWord, SetValue
from editd.refactor.candidates import Literal, Spans, that_stays, with_spans
from editd.refactor.prints import WITH_A_STATEMENT
from editd.syntax.python_text import docstring_of, is_text, read_python
from editd.syntax.scanning import tokens_in
from editd.syntax.scopes import place_of
from editd.syntax.tokens import Token, parses, split, tokens_of, tree_of
from editd.syntax.tool_comments import staying
from editd.syntax.words import as_word

_DELIMITED = re.compile(r"(?s)([a-zA-Z]{0,2}#*)(\"\"\"|'''|\"|'|`)(.*)\2#*")


def replaced(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another text: whole strings if there are such, else inside strings, else anywhere."""
    old, new = meaning.old, meaning.new
    if meaning.only:
        return exchanged_only_in(meaning.only, re.compile(re.escape(old)), new, text, language)
    everywhere = text.replace(old, new)
    tokens = tokens_in(text, language)
    if tokens is None or everywhere == text:
        return Literal((everywhere,))
    strings = [token for token in tokens if token.kind in ("string", "docstring")]
    exact: Spans = []
    for token in strings:
        cut = _DELIMITED.fullmatch(token.text)
        if cut and cut[3] == old:
            exact.append((token.start + cut.start(3), token.start + cut.end(3), new))
    inside = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in strings
        for at in re.finditer(re.escape(old), token.text)
    ]
    whole = set(exact)
    others = [span for span in inside if span not in whole]
    is_plain = not re.search(r"[\\\"'`\n{}$]", old + new)
    outside = everywhere.count(new) - with_spans(text, inside).count(new)
    readings = (with_spans(text, exact or inside), with_spans(text, inside), everywhere)
    stays = that_stays(text, ("longer strings", others if exact else []))
    if meaning.is_one and len(exact) > 1:
        return _one_of(exact, readings, text)
    if not inside and _is_code(old, new, tokens, text) and parses(everywhere, language):
        return Literal((everywhere,), is_single=True)
    # Words inside of longer strings, and nowhere else.
    is_inside = not outside and len(as_word(old).findall(text)) == len(inside)
    return Literal(
        tuple(dict.fromkeys(one for one in readings if one != text)) or (text,),
        bool(exact or (inside and is_inside)) and is_plain and not (outside and not inside),
        stays,
        with_spans(text, inside) if stays else None,
    )


def _is_code(old: str, new: str, tokens: Sequence[Token], text: str) -> bool:
    """Whether ``old`` stands in code alone, as more than a name, and never as a part of something longer."""
    comments = [one for one in tokens if one.kind in ("comment", "docstring")]
    places = [at.start() for at in re.finditer(re.escape(old), text)]
    return (
        not re.fullmatch(r"[\w.]+", old)
        and bool(new.strip())
        and len(places) == len(as_word(old).findall(text))
        and not any(one.start <= start < one.end for one in comments for start in places)
    )


def exchanged_only_in(
    kind: str, old: re.Pattern[str], new: str, text: str, language: str
) -> Literal | None:
    """``old`` in comments, docstrings or strings alone; ``None`` without a parser, or in code, where it is no text."""
    tokens = tokens_in(text, language)
    if tokens is None or kind == "code":
        return None
    spans = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in tokens
        if f"{token.kind}s" == kind
        for at in old.finditer(token.text)
    ]
    return Literal((with_spans(text, spans),), is_single=True)


def renumbered(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another number, where it stands as one."""
    old, new = meaning.old, meaning.new
    if meaning.only not in ("", "code"):
        word = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
        return exchanged_only_in(meaning.only, word, new, text, language)
    pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
    everywhere = pattern.sub(lambda _: new, text)
    tokens = tokens_in(text, language)
    if tokens is None or old.startswith(("-", "+")):
        return Literal((everywhere,))
    spans = [(t.start, t.end, new) for t in tokens if t.kind == "number" and t.text == old]
    others = [(at.start(), at.end(), new) for at in pattern.finditer(text)]
    known = set(spans)
    others = [span for span in others if span not in known]
    stays = that_stays(text, ("strings or comments", others))
    readings = tuple(dict.fromkeys((with_spans(text, spans), everywhere)))
    if meaning.is_one and len(spans) > 1:
        return _one_of(spans, readings, text)
    return Literal(readings, bool(spans), stays, everywhere if stays else None)


def _one_of(spans: Spans, readings: tuple[str, ...], text: str) -> Literal:
    """Which of several places is meant by "the port 80" is not for the words to say."""
    each = (with_spans(text, [span]) for span in spans[:_MOST_PLACES])
    return Literal(tuple(dict.fromkeys((*readings, *each))))


_MOST_PLACES = 20  # of which each is a reading


def exchanged_word(meaning: ReplaceWord, text: str, language: str) -> Literal | None:
    """A word in prose, or in strings or comments alone; ``None`` where the program calls something so."""
    old, new = meaning.old, meaning.new
    word = as_word(old)
    spans: Spans = [(at.start(), at.end(), new) for at in word.finditer(text)]
    tokens = tokens_in(text, language)
    if not spans or (tokens is None and language not in PROSE):
        return None
    if tokens is not None:
        texts = [one for one in tokens if one.kind in ("string", "comment", "docstring")]
        kinds = {one.kind for start, _, _ in spans for one in texts if one.start <= start < one.end}
        is_in_text = all(
            any(one.start <= start < one.end for one in texts) for start, _, _ in spans
        )
        if not is_in_text or len(kinds) > 1:
            return None
    return Literal((with_spans(text, spans),), is_single=True)


PROSE = ("text", "markdown", "rst", "latex")


def valued(meaning: SetValue, text: str, language: str) -> Literal | None:
    """Another value for the one thing that is called so; ``None`` if there are several, or its value is of another kind."""
    name, new = meaning.name.rsplit(".", 1)[-1], meaning.new
    place = place_of(meaning.place, text, language) if meaning.place else None
    parent = "" if place else meaning.place or meaning.name.rpartition(".")[0]
    is_any = meaning.is_any or language in DATA
    bare = r"|[^\s#,;'\"{}\[\]][^#\n,;{}]*" if language in _BARE_VALUES else ""
    number = r"-?\d[\w.]*"
    value = (
        rf"\"[^\"\\\n]*\"|'[^'\\\n]*'|{number}|\b(?:true|false|null|nil|None)\b{bare}"
        if is_any
        else number
    )
    pattern = rf"(?<![\w-]){re.escape(name)}(?![\w-])[\"']?(?:[ \t]*:[ \t]*[\w\[\]. ]+?)?[ \t]*(?::=|=(?!=)|:)[ \t]*(?P<value>{value})"
    found: list[re.Match[str]] = []
    tokens = tokens_in(text, language)
    texts = [one for one in tokens or () if one.kind in ("comment", "docstring", "string")]
    for flag in (re.NOFLAG, re.IGNORECASE):  # "the timeout" may be TIMEOUT
        if not found:
            found = [
                at
                for at in re.finditer(pattern, text, flag)
                if not any(one.start <= at.start() and at.end() <= one.end for one in texts)
            ]
    if meaning.place and place:
        found = [at for at in found if place.first <= at.start() < place.last]
    elif meaning.place and language not in DATA:
        return None
    if language in DATA:
        found = _of_data(found, parent, text, language)
    if len(found) != 1:
        return None
    at = found[0]
    written = _as_value(at["value"], new, is_bare=language in _BARE_VALUES) if is_any else new
    if written is None:
        return None
    start, end = at.start("value"), at.start("value") + len(at["value"].rstrip())
    is_code = tokens is not None and (
        not at["value"][0].isdigit()
        or any(t.kind == "number" and t.end == end and start <= t.start for t in tokens)
    )
    # Of "10 * 60" the words do not say what becomes of the rest.
    is_code = is_code and _ENDS.match(text, end) is not None
    return Literal((with_spans(text, [(start, end, written)]),), is_code)


DATA = frozenset(["json", "jsonc", "yaml", "toml", "ini", "css", "scss", "less"])
_BARE_VALUES = frozenset(["yaml", "ini", "css", "scss", "less"])
_ENDS = re.compile(r"\s*(?:[,;)}\]]|#|//|/\*|$)|[ \t]*\n")


def _as_value(old: str, new: str, *, is_bare: bool) -> str | None:
    """``new`` written as a value of the kind that ``old`` is; ``None`` if it is of another."""
    old = old.rstrip()
    if old[0] in "\"'":
        return None if old[0] in new or "\\" in new else f"{old[0]}{new}{old[0]}"
    kinds = (r"-?\d[\w.]*", r"(?i:true|false|on|off|yes|no)", r"null|nil|None")
    same = any(re.fullmatch(kind, old) and re.fullmatch(kind, new) for kind in kinds)
    if not (same or is_bare):
        return None
    if same and old.lower() in ("true", "false"):
        is_true = new.lower() in ("true", "on", "yes")
        word = "true" if is_true else "false"
        return word.title() if old.istitle() else word
    return new if re.fullmatch(r"[\w./:@+-]+", new) or not is_bare else None


def _of_data(
    found: Sequence[re.Match[str]], parent: str, text: str, language: str
) -> list[re.Match[str]]:
    """The values below ``parent``; without one the outermost."""
    if parent:
        last = parent.rpartition(".")[2]
        return [at for at in found if _parent_of(at, text, language) == last]
    depths = [_depth(at, text, language) for at in found]
    return [at for at, depth in zip(found, depths, strict=True) if depth == min(depths)]


def _depth(at: re.Match[str], text: str, language: str) -> int:
    if language in ("toml", "ini"):
        return len(re.findall(r"(?m)^[ \t]*\[", text[: at.start()])) and 1
    line = text.rfind("\n", 0, at.start()) + 1
    return len(text[line : at.start()]) - len(text[line : at.start()].lstrip())


def _parent_of(at: re.Match[str], text: str, language: str) -> str:
    """The key or the header above a value."""
    before = text[: text.rfind("\n", 0, at.start()) + 1]
    if language in ("toml", "ini"):
        headers = re.findall(r"(?m)^[ \t]*\[+([^\]\n]+)\]", before)
        return headers[-1].rpartition(".")[2].strip("\"' ") if headers else ""
    depth = _depth(at, text, language)
    for line in reversed(before.splitlines()):
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            key = re.match(r"\s*(?:- )?[\"']?([\w.@&:#-]+?)[\"']?\s*[:{]", line)
            return key[1].lstrip(".#") if key else ""
    return ""


def _dropped(lines: Sequence[str], numbers: Iterable[int]) -> str:
    gone = set(numbers)
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def without_lines(said: str, text: str, language: str) -> Literal | None:
    """The text without the lines that contain what was said, as a word or as it stands.

    What would be left without a statement gets one that does nothing.
    """
    lines = split(text)
    word = as_word(said)
    by_word = [number for number, line in enumerate(lines) if word.search(line)]
    by_text = [number for number, line in enumerate(lines) if said in line]
    found = [numbers for numbers in (by_word, by_text) if numbers]
    readings = [_without_statements(text, numbers, language) for numbers in found]
    readings += [_dropped(lines, numbers) for numbers in found]
    return Literal(tuple(dict.fromkeys(readings)) or (text,), by_word == by_text)


def _without_statements(text: str, numbers: Sequence[int], language: str) -> str:
    """The text without these lines, with ``pass`` or ``{}`` where a block or a condition was nothing else."""
    lines, gone = split(text), set(numbers)
    new = ["" if number in gone else line for number, line in enumerate(lines)]
    emptied = _python_blocks(text, gone) if language == "python" else _lone(text, gone, language)
    for line in emptied:
        indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
        end = "\n" if lines[line].endswith("\n") else ""
        new[line] = f"{indent}{'pass' if language == 'python' else '{}'}{end}"
    return "".join(new)


def _python_blocks(text: str, gone: set[int]) -> Iterator[int]:
    """The first line of each block of which only the head would stay."""
    python = read_python(text)
    for body in python.bodies() if python else ():
        assert python is not None  # noqa: S101
        if body is python.tree.body:
            continue
        numbers = {n for one in body for n in range(python.first(one), python.last(one) + 1)}
        first = min(numbers)
        head = next((n for n in range(first - 1, -1, -1) if python.lines[n].strip()), -1)
        while head >= 0 and python.lines[head].lstrip().startswith("#"):
            head -= 1
        if numbers <= gone and head not in gone:
            yield first


def _lone(text: str, gone: set[int], language: str) -> Iterator[int]:
    """The line of each statement that a condition or loop consists of, without braces."""
    tree = tree_of(text, language)
    for node in tree.nodes() if tree is not None else ():
        parent = node.parent
        if parent is None or parent.type not in WITH_A_STATEMENT or node.type in _WITH_BRACES:
            continue
        numbers = range(node.start_point[0], node.end_point[0] + 1)
        is_all = node.type.endswith("statement") and gone.issuperset(numbers)
        if is_all and parent.start_point[0] not in gone:
            yield node.start_point[0]


_WITH_BRACES = ("statement_block", "compound_statement", "block_statement")


def undefined(meaning: DeleteDefinition, text: str, language: str) -> Literal | None:
    """The text without the one definition of that name, and the smaller gap beside it."""
    lines = split(text)
    name = f"{meaning.owner}.{meaning.name}" if meaning.owner else meaning.name
    one = place_of(name, text, language)
    if one is None or tokens_of(text, language) is None:
        return None
    head = one.start
    while head < one.end and lines[head].lstrip().startswith(("#", "//", "/*", "*")):
        head += 1
    first, last = one.start, one.end
    above, below = first, last
    while above and not lines[above - 1].strip():
        above -= 1
    while below < len(lines) and not lines[below].strip():
        below += 1
    if below == len(lines) or 0 < first - above < below - last:
        first = above
    else:
        last = below
    if language == "python" and not parses(_dropped(lines, range(first, last)), language):
        rest = without = _without_statements(text, range(head, one.end), language)
    else:
        rest, without = _dropped(lines, range(first, last)), _dropped(lines, range(head, one.end))
    used = [n for n, line in enumerate(lines) if as_word(one.name).search(line)]
    used = [number for number in used if not first <= number < last]
    stays = (("mentions of it", tuple(used)),) if used else ()
    return Literal(tuple(dict.fromkeys((rest, without))), head == one.start, stays)


def without_comments(text: str, language: str) -> Literal | None:
    """The text without its comments, and without the lines that were nothing else.

    What programs read stays (``tool_comments``), and documentation does: in Python that is no comment either.
    """
    tokens = tokens_in(text, language)
    if tokens is None:
        return None
    comments = [token for token in tokens if token.kind == "comment"]
    stays = staying([(token.start, token.text) for token in comments], text, language)
    spans: Spans = []
    kept: dict[str, Spans] = {stays[start]: [] for start in sorted(stays)}
    for token in comments:
        if token.text.startswith("#!") and not token.start:
            continue  # nobody asks
        kept.get(stays.get(token.start, ""), spans).append(_without_comment(token, text))
    others = [span for spans_of in kept.values() for span in spans_of]
    everything = with_spans(text, spans + others)
    return Literal(
        tuple(dict.fromkeys((with_spans(text, spans), everything))),
        is_single=True,
        stays=that_stays(text, *kept.items()),
        resembling=everything if others else None,
    )


def _without_comment(comment: Token, text: str) -> tuple[int, int, str]:
    """The span to cut: its line if nothing else stands there, with the blanks that it leaves before a line's end or a bracket."""
    start, end = comment.start, comment.end
    line = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    after = len(text) if after < 0 else after
    before, behind = text[line:start], text[end:after]
    if behind.strip():
        if before.rstrip()[-1:] in tuple("([{"):
            return start, end + len(behind) - len(behind.lstrip()), ""
        if behind.lstrip()[0] in ")]},;" or (before[-1:].isspace() and behind[0].isspace()):
            start = line + len(before.rstrip()) if before.strip() else start
        return start, end, ""
    if before.strip():
        return line + len(before.rstrip()), after, ""
    return line, min(len(text), after + 1), ""


def without_docstrings(name: str, text: str) -> Literal | None:
    """A Python text without its docstrings, or without that of the one definition ``name``.

    A body that would be empty gets ``pass``. Of a text that reads ``__doc__`` nothing is decided.
    """
    python = read_python(text)
    if python is None or python.is_part:
        return None
    named = python.definitions(name) if name else [python.tree, *python.definitions()]
    if name and len(named) != 1:
        return None
    spans: Spans = []
    for node in named:
        if (said := docstring_of(node)) is None:
            continue
        body: list[ast.stmt] = node.body
        first, last = python.first(said), python.last(said) + 1
        if len(body) == 1 and node is not python.tree:
            spans.append((*python.span(said), "pass"))
            continue
        if not python.is_alone(said) or (body[1:] and is_text(body[1])):
            return None
        above = python.lines[first - 1].strip() if first else ""
        while last < len(python.lines) and not python.lines[last].strip():
            if node is python.tree and above:
                break  # the blank line below a file's first comments
            last += 1
        spans.append((python.line_start(first), python.line_start(last), ""))
    is_clear = not as_word("__doc__").search(text)
    return Literal((with_spans(text, spans),), is_single=is_clear)
