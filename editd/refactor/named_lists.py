"""The lists of a text that have a name: of code, settings and data, in brackets or as a sequence of YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.refactor.entries import lines_called
from editd.refactor.masked import closing_of, masked, parts_between
from editd.syntax.code import Code

_SHELLS = ("bash", "zsh", "sh")
_BRACES = ("python", "java", "c", "cpp", "csharp", "lua")  # in which {1, 2} is a list or set
_NAME = r"(?P<mark>[\"']?)(?P<name>(?!\d)[\w$-]+)(?P=mark)"
# What stands before the bracket of a list.
_HEAD = (
    r"(?:&(?:mut )?)?(?:\[(?:\d*|\.\.\.)\]\*?[\w.]+|vec!|new\s+[\w.]+\s*\[\d*\]\s*|new\s*\[\]\s*|new\s+[\w.]+<[\w.,? ]*>\s*(?:\(\))?\s*(?=\{)|new\(\)\s*(?=\{)"
    r"|new Set(?:<[^>(]*>)?\(\s*(?=\[)|(?:set|frozenset|tuple|list|Object\.freeze|(?:BTree|Hash)Set::from)\(\s*(?=[\[({])"
    r"|(?:List|Set|Arrays|ImmutableList|ImmutableSet|EnumSet)\.(?:of|asList)(?=\()|(?:mutable)?(?:listOf|setOf|ListOf|SetOf|arrayOf)(?=\()|array(?=\())?"
)
_TYPE = r"!?\??:\s*(?:[^=;\n\[]|\[[^\]\n]*\])+?\s*=(?![=>])"
_BRACKETED = re.compile(
    rf"(?<![\w$-]){_NAME}(?P<size>\[\d*\])?\s*(?:{_TYPE}|:=|=>|[-+|]?=(?![=>~])|:(?![:=]))\s*(?P<head>{_HEAD})(?P<open>[\[({{])"
)
_ENUM = re.compile(r"\benum\s+(?:class\s+)?(?P<name>\w+)[^{};\n]*(?P<open>\{)")
_YAML_KEY = re.compile(
    r"(?P<lead>[ \t]*(?:- +)?)(?P<mark>[\"']?)(?P<name>[\w.-]+)(?P=mark):[ \t]*(?:#.*)?\n?"
)
_YAML_ITEM = re.compile(
    r"(?P<lead>[ \t]*)- +(?P<item>[^\s#][^\n]*?)(?P<rest>[ \t]*(?:#[^\n]*)?)\n?"
)


@dataclass(frozen=True, slots=True)
class NamedList:
    """A list called ``name``, from ``start`` to ``end``, the offsets of its brackets, or of its first and after its last line.

    elements: their spans, in order. separator: between them; ``\\n`` for a sequence on lines of its own. size: the span of
    the number that says how many elements it has; ``None`` without one. is_enum: its elements are the members of an enum.
    """

    name: str
    start: int
    end: int
    elements: tuple[tuple[int, int], ...]
    separator: str = ","
    size: tuple[int, int] | None = None
    is_enum: bool = False


def lists_in(code: Code) -> Iterator[NamedList]:
    """Yield the lists of a text that have a name and hold no keys; of any language whose strings and comments are known."""
    if code.tokens is None:
        return
    text = masked(code)
    if code.language == "yaml":
        yield from _sequences(code)
    comments = [(token.start, token.end) for token in code.tokens_of("comment", "docstring")]
    for found in _BRACKETED.finditer(_with_keys(code, text)):
        is_comment = any(start <= found.start() < end for start, end in comments)
        if not is_comment and (named := _bracketed(found, text, code)):
            yield named
    for found in _ENUM.finditer(text):
        closing = closing_of(found.start("open"), text)
        inside = text[found.end() : closing]
        if closing > 0 and not re.search(r"[;=:(]", inside):
            elements = parts_between(found.end(), closing, text)
            start = found.start("open")
            yield NamedList(found["name"], start, closing, tuple(elements), is_enum=True)


def lists_called(name: str, word: str, code: Code, within: str = "") -> list[NamedList]:
    """The lists with this name, whatever joins its words ("allowed hosts" of ``ALLOWED_HOSTS``), else those in the one
    entry that is called so, of several only those in whose name ``word`` is a part.

    within: the entry or definition in which they stand; empty for any.
    """
    outer, _, last = name.rpartition(".")
    lists = list(lists_in(code))
    for place in filter(None, (within, outer)):
        lines = lines_called(place, code)
        lists = [x for x in lists if lines and _is_inside(x, lines, code)]
    found = [x for x in lists if x.name == last] or [
        x for x in lists if _plain(x.name) in _forms(last)
    ]
    if found or outer:
        return found
    if last.lower() == "enum":
        return [x for x in lists if x.is_enum]
    group = re.fullmatch(r"(\w+) (?:dependencies|group|extras?|requirements)", last)
    if group:
        return [x for x in lists if x.name == group[1]]
    lines = lines_called(last, code)
    held = [x for x in lists if lines and _is_inside(x, lines, code)]
    named = [x for x in held if word and word in _words(x.name)]
    return named if word else held


def is_named_by(word: str, named: NamedList) -> bool:
    """Whether a word before an element only says what the elements of the list are ("the host x" of ``ALLOWED_HOSTS``)."""
    general = (
        "item",
        "element",
        "value",
        "entry",
        "string",
        "number",
        "version",
        "name",
        "package",
        "dependency",
    )
    return word in general or word in _words(named.name) or f"{word}s" in _words(named.name)


def _is_inside(named: NamedList, lines: tuple[int, int], code: Code) -> bool:
    """Whether a list stands in these lines."""
    starts = code.line_starts
    return starts[lines[0]] <= named.start and named.end <= starts[lines[1]]


def _words(name: str) -> list[str]:
    """The words that a name is joined of, in lower case."""
    return [x.lower() for x in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def _plain(name: str) -> str:
    """A name without signs, in lower case."""
    return re.sub(r"[\W_]", "", name).lower()


def _forms(words: str) -> tuple[str, ...]:
    """The plain names that words may mean: themselves, and one or several of it."""
    plain = _plain(words)
    return (plain, f"{plain}s", plain.removesuffix("s"), f"{plain.removesuffix('y')}ies")


def _with_keys(code: Code, text: str) -> str:
    """The masked text in which strings that are keys are written out."""
    pieces: list[str] = []
    done = 0
    for token in code.tokens_of("string"):
        if re.match(r"\s*(?::|=>|=)", text[token.end :]) and re.fullmatch(
            r"[\"'][\w$-]+[\"']", token.text
        ):
            pieces += (text[done : token.start], token.text)
            done = token.end
    return "".join((*pieces, text[done:]))


def _bracketed(found: re.Match[str], text: str, code: Code) -> NamedList | None:
    """The list that a match begins; ``None`` if no bracket closes it, or what is in the brackets is something else: an
    object, a dict, an expression.
    """
    start, head, sign = found.start("open"), found["head"], found["open"]
    closing = closing_of(start, text)
    if closing < 0:
        return None
    is_export = found["name"] == "exports" and sign == "{"
    if sign == "{" and not head and not is_export and code.language not in _BRACES:
        return None
    if sign == "(" and not head and code.language not in ("python", *_SHELLS):
        return None
    separator = " " if code.language in _SHELLS else ","
    elements = parts_between(start + 1, closing, text, separator)
    inside = text[start + 1 : closing]
    if code.language == "python" and not head:
        is_tuple = sign == "(" and inside.strip() and "," not in inside
        if is_tuple or (sign == "{" and not inside.strip()):
            return None
    if sign == "[" and re.match(r"[ \t]*(?:\.|\(|\[|for\b)", text[closing + 1 :]):
        return None
    if any(start == end or _is_pair(text[start:end], code) for start, end in elements):
        return None
    return NamedList(
        found["name"], start, closing, tuple(elements), separator, _size(found, len(elements), text)
    )


def _is_pair(element: str, code: Code) -> bool:
    """Whether an element is a key with a value, or no element at all."""
    if re.match(r"\*|\.\.\.|for\b", element) or (
        code.language == "python" and re.search(r"\bfor\b", element)
    ):
        return True
    flat = re.sub(r"[(\[{].*[)\]}]", "", element, flags=re.DOTALL)
    return re.search(r"=>|(?<!:):(?!:)|(?<![=<>!])=(?!=)", flat) is not None


def _size(found: re.Match[str], count: int, text: str) -> tuple[int, int] | None:
    """The span of the number before the list that is the number of its elements: of ``[&str; 3]``, ``[3]string``."""
    for at in re.finditer(
        r"(?<=;)\s*(\d+)(?=\])|\[(\d+)\]", text[found.start() : found.start("open")]
    ):
        group = 1 if at[1] else 2
        if int(at[group]) == count:
            start, end = at.span(group)
            return found.start() + start, found.start() + end
    return None


def _sequences(code: Code) -> Iterator[NamedList]:
    """Yield the sequences of YAML on lines of their own, ``- a``, that hold plain values and have a key."""
    lines, starts = code.lines, code.line_starts
    for number, line in enumerate(lines):
        key = _YAML_KEY.fullmatch(line)
        if key is None:
            continue
        depth = len(key["lead"])
        elements: list[tuple[int, int]] = []
        at, lead, last = number + 1, None, number
        while at < len(lines):
            if not lines[at].strip() or lines[at].lstrip().startswith("#"):
                at += 1
                continue
            item = _YAML_ITEM.fullmatch(lines[at])
            if item is None or len(item["lead"]) < depth or (lead or item["lead"]) != item["lead"]:
                break
            lead, last = item["lead"], at
            elements.append((starts[at] + item.start("item"), starts[at] + item.end("item")))
            at += 1
        goes_on = at < len(lines) and len(lines[at]) - len(lines[at].lstrip(" ")) > len(lead or "")
        texts = [code.text[start:end] for start, end in elements]
        if (
            elements
            and not goes_on
            and not any(re.match(r"[\[{&*!|>-]|[^\"'\s]+:(?: |$)", x) for x in texts)
        ):
            yield NamedList(
                key["name"], starts[number + 1], starts[last + 1], tuple(elements), "\n"
            )
