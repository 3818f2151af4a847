"""The members of a text's containers: which member of one text is which of another, and which ones go."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from editd.syntax.brackets import read_brackets
from editd.syntax.containers import Container, Member
from editd.syntax.indented import read_python, read_yaml
from editd.syntax.sections import read_sections
from editd.syntax.tags import read_tags

_MOST_READ = 1 << 20  # characters
_TAGS = ("xml", "html", "svg", "vue", "svelte", "xaml")
_SECTIONS = ("toml", "ini", "properties", "dotenv", "env")
_PLAIN = ("", "nginx", "conf", "caddyfile", "caddy", "hocon")
_PROSE = ("markdown", "text", "rst", "latex", "txt", "diff")
_NAMES = ("id", "name", "key", "uses", "path", "host", "title", "label", "repo", "hook")
_SAME = 1000.0  # likeness of members that are equal
_RENAMED = 0.75  # least share of lines of a member that has another name
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\w+|[^\s\w]")


@lru_cache(8)
def members_of(text: str, language: str) -> Container | None:
    """The text as a container; ``None`` if it has no members that this package can read.

    A language that is unknown is told by the text.
    """
    if len(text) > _MOST_READ or language in _PROSE:
        return None
    language = language or _language_of(text)
    if language in ("yaml", "yml"):
        return read_yaml(text)
    if language == "python":
        return read_python(text)
    if language in _TAGS:
        return read_tags(text, is_html=language not in ("xml", "svg", "xaml"))
    if language in _SECTIONS:
        return read_sections(text, language)
    if language in _PLAIN and "{" not in text:
        return None
    return read_brackets(text, language)


def _language_of(text: str) -> str:
    """What a text of an unknown language looks like."""
    first = text.lstrip()
    if re.match(r"<[?!%A-Za-z]", first):
        return "xml"
    if first[:1] == "{":
        return "json"
    lines = [x for x in text.split("\n") if x.strip() and x.lstrip()[0] not in "#;/"]
    if all(re.match(r"\s*\[.*\]$|\s*[\w.-]+\s*=", x) for x in lines):
        return "ini"
    if not any("{" in x for x in lines) and any(re.match(r"[\w-]+:(?:\s|$)", x) for x in lines):
        return "yaml"
    return ""


def matched(theirs: Sequence[Member], ours: Sequence[Member], texts: tuple[str, str]) -> list[int | None]:
    """For each member of ``ours``, the number of the one in ``theirs`` that it is, or ``None``.

    A function or a block of another name that has most of its lines is the same one.
    """
    found: list[int | None] = [None] * len(ours)
    groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, members in enumerate((theirs, ours)):
        for number, one in enumerate(members):
            if one.key:
                groups[one.key][side].append(number)
    for there, here in groups.values():
        for one, two in _pairs(theirs, ours, there, here, texts):
            found[two] = one
    left = [n for n in range(len(theirs)) if n not in found and theirs[n].key]
    for number, one in enumerate(ours):
        if found[number] is None and one.key:
            scored = sorted((_renamed(theirs[n], one, texts), n) for n in left)
            scored = [x for x in scored if x[0]]
            if scored and (len(scored) == 1 or scored[-1][0] > scored[-2][0]):
                found[number] = scored[-1][1]
                left.remove(scored[-1][1])
    return found


def _renamed(one: Member, two: Member, texts: tuple[str, str]) -> float:
    """How likely a member has another key now: if most of what it holds is the same, and of a container its first words; else 0."""
    first, second = (_inside(x, text) for x, text in zip((one, two), texts, strict=True))
    shared = len(first & second)
    if (
        one.key == two.key
        or shared < _RENAMED * max(len(first), len(second))
        or (one.inner is None) != (two.inner is None)
    ):
        return 0.0
    if one.inner is None:
        return shared if shared >= 2 else 0.0
    words, others = (set(re.findall(r"[\w.:#-]+", x.key)) for x in (one, two))
    both = len(words & others)
    is_close = shared >= 1 and 2 * both >= min(len(words), len(others))
    return both / len(words | others) if is_close and both else 0.0


def _inside(one: Member, text: str) -> set[str]:
    """The keys that a member holds, or its lines but for the first one."""
    if one.inner is not None:
        return {x.key for x in one.inner.members}
    lines = text[one.start : one.end].split("\n")[1:]
    return {x.strip() for x in lines if any(map(str.isalnum, x))}


def _pairs(
    theirs: Sequence[Member],
    ours: Sequence[Member],
    there: Sequence[int],
    here: Sequence[int],
    texts: tuple[str, str],
) -> Iterator[tuple[int, int]]:
    """Pairs of members of one key: what is equal, then what is most alike, in order."""
    is_single = len(there) == 1 == len(here)
    words = [theirs[n].words for n in there], [ours[m].words for m in here]
    scored = []
    for order, n in enumerate(there):
        for other, m in enumerate(here):
            score = _likeness(theirs[n], ours[m], texts, is_single=is_single)
            if 1 < (score or 0) < _SAME and theirs[n].words and any(
                sum(x[: int(score or 0)] == theirs[n].words[: int(score or 0)] for x in side) > 1
                for side in words
            ):
                score = None  # others begin so, too
            if score is not None:
                scored.append((-score, abs(order - other), n, m))
    taken: set[int] = set()
    done: set[int] = set()
    for _, _, n, m in sorted(scored):
        if n not in taken and m not in done:
            taken.add(n)
            done.add(m)
            yield n, m


def _likeness(one: Member, two: Member, texts: tuple[str, str], *, is_single: bool) -> float | None:
    """How likely two members of one key are the same one; ``None`` if they cannot be."""
    if one.name and two.name and one.name != two.name:
        return None
    same = is_same(texts[0][one.start : one.end], texts[1][two.start : two.end])
    if same:
        return _SAME
    if one.words and not is_single:
        count = 0
        for first, second in zip(one.words, two.words, strict=False):
            if first != second:
                break
            count += 1
        is_value = count >= min(len(one.words), len(two.words)) - 1 or "." not in one.words[1]
        return float(count) if count > 1 and is_value else None
    if one.words and two.words:
        first, second = one.words, two.words
        if first[0] in _REPEATED or (_NAMED.search(first[0]) and first[1:2] != second[1:2]):
            return None
    if one.name and one.name == two.name:
        return 500.0
    if one.inner is not None and two.inner is not None:
        there, here = one.inner.members, two.inner.members
        pairs = [(there[n], here[m]) for m, n in enumerate(matched(there, here, texts)) if n is not None]
        return float(sum(1 + 2 * is_same(texts[0][x.start : x.end], texts[1][y.start : y.end]) for x, y in pairs))
    return 0.0 if is_single or not one.key.startswith("<") else None


# Directives of which there are several, each with a name behind it.
_NAMED = re.compile(
    r"(?:header|param|implementation|api|only|processor|classpath|kapt|ksp|plugin|module|maven|^set|^id|^map|^alias|^use)$",
    re.IGNORECASE,
)
_REPEATED = ("import", "from", "use", "using", "@import", "@use", "@include", "#include", "require", "include", "package")


def is_same(one: str, two: str) -> bool:
    """Whether two texts differ in blanks and commas before a bracket at most."""
    if one == two:
        return True
    first, second = (_TOKEN.findall(x) for x in (one, two))
    return _bare(first) == _bare(second)


def _bare(tokens: Sequence[str]) -> list[str]:
    return [
        one
        for one, below in zip(tokens, [*tokens[1:], ")"], strict=True)
        if one not in ",;" or below not in ")]}"
    ]


def counted(container: Container) -> list[int]:
    """The numbers of its members that have a key of their own."""
    return [n for n, one in enumerate(container.members) if one.key]


def gone(before: str, after: str, language: str) -> list[Member]:
    """Members of ``before`` that ``after`` has not. Statements, and elements of lists, are none."""
    one, two = members_of(before, language), members_of(after, language)
    if one is None or two is None:
        return []
    return [*_gone(one, two, (before, after))]


def _gone(one: Container, two: Container, texts: tuple[str, str]) -> Iterator[Member]:
    if one.is_list or two.is_list:
        for n, m in paired_elements(one, two, texts):
            first, second = one.members[n].inner, two.members[m].inner
            if first is not None and second is not None:
                yield from _gone(first, second, texts)
        return
    found = matched(one.members, two.members, texts)
    pairs = {n: two.members[m] for m, n in enumerate(found) if n is not None}
    for number in counted(one):
        member, other = one.members[number], pairs.get(number)
        if other is None:
            if not one.is_scope:
                yield member
        elif member.inner is not None and other.inner is not None:
            yield from _gone(member.inner, other.inner, texts)
        elif member.inner is not None and not member.inner.is_list and not one.is_scope:
            yield from (x for x in member.inner.members if x.key)


def paired_elements(
    one: Container, two: Container, texts: tuple[str, str]
) -> Iterator[tuple[int, int]]:
    """Which element of one list is which of another: by a member that names it, else by its place if none is added."""
    left = list(range(len(two.members)))
    rest = []
    for n, member in enumerate(one.members):
        name = _naming(member, texts[0])
        same = [m for m in left if name and _naming(two.members[m], texts[1]) == name]
        if same:
            left.remove(same[0])
            yield n, same[0]
        else:
            rest.append(n)
    if len(rest) == len(left):
        yield from zip(rest, left, strict=True)


def _naming(member: Member, text: str) -> str:
    """What names an element of a list."""
    inner = {x.key: x for x in (member.inner.members if member.inner else ())}
    found = next((inner[x] for x in _NAMES if x in inner and inner[x].inner is None), None)
    return text[found.start : found.end] if found is not None else ""
