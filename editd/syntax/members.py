"""The members (entries with a key) of a text's containers: which member of one text is which of another, and which ones a text has lost."""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from editd.syntax.brackets import read_brackets
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import dialect_of
from editd.syntax.imports import IMPORT_WORDS
from editd.syntax.mappings import read_yaml
from editd.syntax.sections import read_sections
from editd.syntax.suites import read_suites
from editd.syntax.tags import read_tags
from editd.turns import yield_point

MOST_READ = 1 << 18  # characters of a text; the members of a longer one are not known
_MOST_COMPARED = 2_000  # pairs of members that are compared by what they hold
_PAGES, _XML = ("html", "vue", "svelte"), ("xml", "svg", "xaml")
_SECTIONS = ("toml", "ini", "properties", "dotenv", "env")
_PLAIN = ("", "nginx", "conf", "caddyfile", "caddy", "hocon")
_SETTINGS = re.compile(r"\{|;\s*$")
_CODE = re.compile(
    r"^\s*(?:export|import|from|function|class|def|fn|func|fun|return|const|let|var|public|private|static|void|#include)\b",
    re.MULTILINE,
)  # what no settings have; of other imports they have some words, as ``include`` and ``use``
_PROSE = ("markdown", "text", "rst", "latex", "txt", "diff")
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\w+|[^\s\w]")
# Directives that stand in a container several times: by their first word alone, and with a name behind it.
_REPEATED = (*IMPORT_WORDS, "@import", "@use", "@include", "#include")
_NAMED = re.compile(
    r"(?:header|param|implementation|api|only|processor|classpath|kapt|ksp|plugin|module|maven|^set|^id|^map|^alias|^use)$",
    re.IGNORECASE,
)
_NAMING = ("id", "name", "key", "uses", "path", "host", "title", "label", "repo", "hook")
_EQUAL = 1000.0  # likeness of members that are equal
_RENAMED = 0.75  # least share of what a member holds that it still holds under another key


@lru_cache(8)
def members_of(text: str, language: str) -> Container | None:
    """The text as a container with its members, which may be none, by its language's reader; the last eight answers
    are remembered.

    ``None`` if it exceeds 262,144 characters, is prose or a diff, its brackets or tags do not match, the language
    has no reader, or that of YAML, INI, TOML, tags or Python cannot read a line or finds no member. An unknown
    language (empty) is guessed by the text; if it stays unknown, and for settings as nginx has them, also ``None``
    if the text neither has ``{`` nor ends in ``;``, or a line begins like code.
    """
    if len(text) > MOST_READ or language in _PROSE:
        return None
    language = language or _language_of(text)
    if language in ("yaml", "yml"):
        return read_yaml(text)
    if language == "python" and (dialect := dialect_of(language)) is not None:
        return read_suites(text, dialect)
    if language in (*_PAGES, *_XML):
        return read_tags(text, is_html=language in _PAGES)
    if language in _SECTIONS:
        return read_sections(text, language)
    if language in _PLAIN and (not _SETTINGS.search(text) or _CODE.search(text)):
        return None
    return read_brackets(text, language)


def _language_of(text: str) -> str:
    """The language that a text looks like: ``xml``, ``json``, ``ini`` (also for a text of comments
    alone) or ``yaml``; empty if none of these.
    """
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


# --- which member is which ---


def match_members(
    theirs: Sequence[Member], ours: Sequence[Member], texts: tuple[str, str]
) -> list[int | None]:
    """For each member of ``ours``, the number of the one in ``theirs`` that it is, or ``None``; none twice. Lets
    other work run meanwhile.

    Members of one key are told apart by what they hold. A member with a new key that holds most of what one without
    counterpart in ``theirs`` held is that one, unless two are equally like it or more than 2,000 pairs would be
    compared. Members without a key match nothing. texts: those of ``theirs`` and ``ours``, in this order.
    """
    found: list[int | None] = [None] * len(ours)
    groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, members in enumerate((theirs, ours)):
        for number, member in enumerate(members):
            if member.key:
                groups[member.key][side].append(number)
    for numbers in groups.values():
        yield_point()
        for their_number, our_number in _pairs(theirs, ours, numbers, texts):
            found[our_number] = their_number
    known = {number for number in found if number is not None}
    left = [n for n, member in enumerate(theirs) if member.key and n not in known]
    fresh = [n for n, member in enumerate(ours) if member.key and found[n] is None]
    if len(left) * len(fresh) <= _MOST_COMPARED:
        for our_number in fresh:
            scores: list[tuple[float, int]] = []
            for their_number in left:
                score = _renamed(theirs[their_number], ours[our_number], texts)
                if score:
                    insort(scores, (score, their_number))
            if scores and (len(scores) == 1 or scores[-1][0] > scores[-2][0]):
                found[our_number] = scores[-1][1]
                left.remove(scores[-1][1])
    return found


def _pairs(
    theirs: Sequence[Member],
    ours: Sequence[Member],
    numbers: tuple[Sequence[int], Sequence[int]],
    texts: tuple[str, str],
) -> Iterator[tuple[int, int]]:
    """Yield pairs (number in theirs, number in ours) of members of one key: first equal ones, then
    the most alike.

    numbers: of these members on both sides. No likeness is sought among more than 2,000 pairs.
    Directives that share only words with which others begin, too, are no pair.
    """
    # 1) those that are equal
    by_text: dict[str, list[int]] = defaultdict(list)
    for number in reversed(numbers[0]):
        by_text[texts[0][theirs[number].start : theirs[number].end]].append(number)
    fresh = []
    for number in numbers[1]:
        if same := by_text[texts[1][ours[number].start : ours[number].end]]:
            yield same.pop(), number
        else:
            fresh.append(number)
    left = sorted(number for same in by_text.values() for number in same)
    if len(left) * len(fresh) > _MOST_COMPARED:
        return
    # 2) those that are most alike, in order
    is_single = len(numbers[0]) == 1 == len(numbers[1])
    beginnings = [
        Counter(x.words[:size] for x in side for size in range(2, len(x.words)))
        for side in ([theirs[n] for n in numbers[0]], [ours[n] for n in numbers[1]])
    ]
    scored = []
    for order, number in enumerate(left):
        for place, other in enumerate(fresh):
            score = _likeness(theirs[number], ours[other], texts, is_single=is_single)
            if score is None:
                continue
            if score < _EQUAL and any(
                x[theirs[number].words[: int(score)]] > 1 for x in beginnings
            ):
                continue  # other directives begin so, too
            scored.append((-score, abs(order - place), number, other))
    taken: set[tuple[bool, int]] = set()
    for _, _, number, other in sorted(scored):
        pair = {(True, number), (False, other)}
        if not pair & taken:
            taken |= pair
            yield number, other


def _likeness(
    theirs: Member, ours: Member, texts: tuple[str, str], *, is_single: bool
) -> float | None:
    """How likely two members of one key are the same (more is likelier; ``_EQUAL`` if their text is but for
    blanks); ``None`` if they cannot be: their names differ, directives begin with less than two same words, or tags
    (``<li>``) have neither name nor members and are not the only ones.

    Of directives the number of words that both begin with; of containers how many members they share, equal ones
    threefold; else 0. is_single: neither side has another of the key, so that directives are the same unless their
    names say otherwise.
    """
    if theirs.name and ours.name and theirs.name != ours.name:
        return None
    if is_same(texts[0][theirs.start : theirs.end], texts[1][ours.start : ours.end]):
        return _EQUAL
    words, others = theirs.words, ours.words
    if words and others and is_single:
        if words[0] in _REPEATED or (_NAMED.search(words[0]) and words[1:2] != others[1:2]):
            return None
    elif words:
        count, fewest = 0, min(len(words), len(others))
        while count < fewest and words[count] == others[count]:
            count += 1
        is_value = count >= fewest - 1 or "." not in words[1]
        return float(count) if count > 1 and is_value else None
    if theirs.name and theirs.name == ours.name:
        return _EQUAL / 2
    if theirs.inner is not None and ours.inner is not None:
        return _likeness_of(theirs.inner, ours.inner, texts)
    return 0.0 if is_single or not theirs.key.startswith("<") else None


def _likeness_of(theirs: Container, ours: Container, texts: tuple[str, str]) -> float:
    """How many members of two containers are each other's; those of equal text count three times."""
    numbers = match_members(theirs.members, ours.members, texts)
    pairs = [(theirs.members[n], ours.members[m]) for m, n in enumerate(numbers) if n is not None]
    same = sum(is_same(texts[0][x.start : x.end], texts[1][y.start : y.end]) for x, y in pairs)
    return float(len(pairs) + 2 * same)


def _renamed(theirs: Member, ours: Member, texts: tuple[str, str]) -> float:
    """How likely ``ours`` is ``theirs`` with another key, above 0; 0 if it is another member, or
    the keys are equal.

    It is if it holds three quarters of the same keys or lines, without a container at least two
    lines, and a container's key shares half of its words.
    """
    if theirs.key == ours.key or (theirs.inner is None) != (ours.inner is None):
        return 0.0
    parts, others = _parts(theirs, texts[0]), _parts(ours, texts[1])
    shared = len(parts & others)
    if not shared or shared < _RENAMED * max(len(parts), len(others)):
        return 0.0
    if theirs.inner is None:
        return float(shared) if shared > 1 else 0.0
    words, other_words = (set(re.findall(r"[\w.:#-]+", x.key)) for x in (theirs, ours))
    both = len(words & other_words)
    is_close = 2 * both >= min(len(words), len(other_words)) > 0
    return both / len(words | other_words) if is_close else 0.0


def _parts(member: Member, text: str) -> set[str]:
    """The keys that a container holds, or a member's lines but for its first, stripped, and only
    those with a letter or digit.
    """
    if member.inner is not None:
        return {inner.key for inner in member.inner.members}
    lines = text[member.start : member.end].split("\n")[1:]
    return {line.strip() for line in lines if any(map(str.isalnum, line))}


def match_elements(
    theirs: Container, ours: Container, texts: tuple[str, str]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of numbers (theirs, ours) of elements of two lists: by a member that names them,
    such as ``id: 3``, then the rest by their places if both sides have as many left.

    texts: those of ``theirs`` and ``ours``.
    """
    names = [_name_of_element(member, texts[1]) for member in ours.members]
    fresh = list(range(len(names)))
    left = []
    for number, member in enumerate(theirs.members):
        name = _name_of_element(member, texts[0])
        same = next((m for m in fresh if names[m] == name), None) if name else None
        if same is None:
            left.append(number)
        else:
            fresh.remove(same)
            yield number, same
    if len(left) == len(fresh):
        yield from zip(left, fresh, strict=True)


def _name_of_element(member: Member, text: str) -> str:
    """The text of the member that names an element of a list, such as ``id: 3``; empty if none of
    ``_NAMING`` does, or that holds a container.
    """
    inner = {x.key: x for x in (member.inner.members if member.inner else ())}
    found = next((inner[x] for x in _NAMING if x in inner and inner[x].inner is None), None)
    return text[found.start : found.end] if found is not None else ""


def is_same(first: str, second: str) -> bool:
    """Whether two texts differ in blanks and in separators before a closing bracket at most."""
    return first == second or _tokens(first) == _tokens(second)


def _tokens(text: str) -> list[str]:
    """The tokens of a text, without separators before a closing bracket."""
    found = _TOKEN.findall(text)
    return [
        sign
        for sign, below in zip(found, [*found[1:], ")"], strict=True)
        if sign not in ",;" or below not in ")]}"
    ]


# --- what a text has lost ---


def with_keys(container: Container) -> list[int]:
    """The numbers of a container's members that have a key."""
    return [number for number, member in enumerate(container.members) if member.key]


def lost_members(before: str, after: str, language: str) -> list[Member] | None:
    """Members of ``before`` that ``after`` does not have in the same container, at any depth; also the members of a
    container that is none in ``after``, unless it is a list or right inside a scope.

    Empty if ``before`` cannot be read or ``after`` is blank; else ``None`` if ``after`` cannot be read. Definitions
    and statements of a scope (a module), which a text may leave out, do not count, nor do elements of lists;
    elements that both lists have are compared inside.
    """
    old, new = members_of(before, language), members_of(after, language)
    if old is None or not after.strip():
        return []
    return [*_lost(old, new, (before, after))] if new is not None else None


def _lost(old: Container, new: Container, texts: tuple[str, str]) -> Iterator[Member]:
    """Yield members of ``old`` that ``new`` lacks, at any depth; not those of a scope itself, which a text may
    leave out. Elements of lists are compared in pairs.

    Of a container that is no container in ``new``, its members with keys, unless it is a list or right inside a
    scope. texts: those that the two stand in.
    """
    if old.is_list or new.is_list:
        for number, other in match_elements(old, new, texts):
            first, second = old.members[number].inner, new.members[other].inner
            if first is not None and second is not None:
                yield from _lost(first, second, texts)
        return
    numbers = match_members(old.members, new.members, texts)
    pairs = {n: new.members[m] for m, n in enumerate(numbers) if n is not None}
    for number in with_keys(old):
        member = old.members[number]
        match = pairs.get(number)
        if match is None:
            if not old.is_scope:
                yield member
        elif member.inner is not None and match.inner is not None:
            yield from _lost(member.inner, match.inner, texts)
        elif member.inner is not None and not member.inner.is_list and not old.is_scope:
            yield from (inner for inner in member.inner.members if inner.key)
