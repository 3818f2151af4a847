"""Repairs of copied lines: tools and chats add numbers, entities, typographic and invisible signs.

A repair is kept where it makes lines those of the file, so what is intended stays. Where lines belong is decided
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import SequenceMatcher
from functools import partial
from itertools import product

from editd.apply.text.line import REMARK
from editd.diff.matching import is_weak

_MOST_LETTERS = 250_000  # of two lines, multiplied, that are compared one by one
Repair = Callable[[Sequence[str]], list[str]]

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#34;": '"', "&#39;": "'", "&#x27;": "'", "&apos;": "'",
             "&nbsp;": " ", "&amp;": "&"}  # fmt: skip
_ENTITY = re.compile("|".join(_ENTITIES), re.IGNORECASE)
_MARKUP = (
    "html", "xml", "markdown", "rst", "vue", "svelte", "jsx", "tsx", "php", "razor", "astro", "text", "latex", "diff",
)  # fmt: skip  # in which entities are text
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_SIGNS = str.maketrans(
    {**dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("\u00a0\u2007\u202f", " "),
     **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")}
)  # fmt: skip
_ESCAPED = re.compile(
    r"^(\s*)\\(?=[<>=#*+|`-]{3,})"
)  # what Roo Code puts before the signs of a conflict
_NUMBERED = re.compile(
    r"\s*(?:L(?:ine )?)?(?P<number>\d+)(?P<sign>\s*[:|│→]|\t|\.|(?= {2,}))(?P<text>.*)"
)
_NUMBER = re.compile(r"\s*\d+\s*")


def unescaped(lines: Sequence[str]) -> list[str]:
    """The lines with the signs that entities of markup stand for."""
    return [_ENTITY.sub(lambda found: _ENTITIES[found[0].lower()], line) for line in lines]


def plain(lines: Sequence[str]) -> list[str]:
    """The lines with straight quotes, plain blanks and hyphens; each sign remains one sign."""
    return [line.translate(_SIGNS) for line in lines]


def visible(lines: Sequence[str]) -> list[str]:
    """The lines without zero-width signs."""
    return [_INVISIBLE.sub("", line) for line in lines]


def unprotected(lines: Sequence[str]) -> list[str]:
    """The lines without the backslash that some tools put before the signs of a conflict."""
    return [_ESCAPED.sub(r"\1", line) for line in lines]


def unnumbered(lines: Sequence[str], blanks: int | None = None) -> list[str]:
    """The lines without the numbers before them (``12: ``, ``12 |``); a line without a number stays, and so does one
    with code where blanks should be.

    blanks: how many characters after the number's sign go, too, if they are blank; ``None``: one if every numbered line
    has it and the sign is no tab or arrow, else none.
    """
    read = [_NUMBERED.fullmatch(line) for line in lines]
    found = [match for match in read if match is not None]
    if blanks is None:
        is_spaced = all(match["text"][:1] in ("", " ") for match in found)
        blanks = int(
            is_spaced and all(match["sign"].strip(" ") not in ("\t", "→") for match in found)
        )
    return [
        line if match is None or match["text"][:blanks].strip() else match["text"][blanks:]
        for line, match in zip(lines, read, strict=True)
    ]


def without_numbers(lines: Sequence[str]) -> list[str]:
    """The lines without the numbers of a listing; as they are if they are no listing. Blank lines are passed over, and
    dropped where numbers stand on lines of their own.

    A listing has two lines or more, each with a number that is no lower than the one before (without gaps, and on three
    lines at least, where only a dot or blanks follow); or, on four lines or more, consecutive numbers on lines of their
    own, all first or every second line.
    """
    shown = [line for line in lines if line.strip()]
    half = len(shown) // 2
    for heads, rest in ((shown[:half], shown[half:]), (shown[::2], shown[1::2])):
        if (
            len(shown) == 2 * half > 2
            and all(map(_NUMBER.fullmatch, heads))
            and _follow(map(int, heads))
        ):
            return rest
    found = [match for match in map(_NUMBERED.fullmatch, shown) if match is not None]
    numbers = [int(match["number"]) for match in found]
    if len(shown) < 2 or len(numbers) < len(shown) or numbers != sorted(numbers):
        return list(lines)
    is_list = any(match["sign"] in ("", ".") for match in found)  # may be a table, or a list
    if is_list and (not _follow(numbers) or len(shown) < 3):
        return list(lines)
    return unnumbered(lines)


def _follow(numbers: Iterable[int]) -> bool:
    """Whether the numbers rise by one each. Raises ``IndexError`` for none."""
    listed = [*numbers]
    return listed == [*range(listed[0], listed[0] + len(listed))]


_REPAIRS: tuple[tuple[Repair, ...], ...] = (
    tuple(partial(unnumbered, blanks=number) for number in (1, 0, 2)),
    (unescaped,),
    (visible,),
    (plain,),
    (unprotected,),
)  # of each one at most


def repairs_of(
    shown: Sequence[str], known: Collection[str], lines: Collection[str] = (), text: str = ""
) -> tuple[Repair, ...]:
    """The repairs, one of each kind at most, after which the lines shown have the highest score as lines of a file; of
    equal ones the fewest, so none if none raises the score. To be applied in the order of the result.

    known: the file's lines without the blanks around them. lines: with the blanks before them. text: all of the file. A
    line with a letter or digit counts 3 if it is in ``lines``, 2 in ``known``, 1 in ``text``.
    """
    useful = [[x for x in group if x(shown) != list(shown)] for group in _REPAIRS]
    tried = product(*([None, *group] for group in useful))
    ways = (tuple(filter(None, way)) for way in tried)
    score = {way: _num_known(repaired(shown, way), known, lines, text) for way in ways}
    return max(score, key=lambda way: (score[way], -len(way)))


def _num_known(
    shown: Sequence[str], known: Collection[str], lines: Collection[str], text: str
) -> int:
    """A score for the lines shown that have a letter or digit: for each 3 if it is a line of the file, 2 if but for the
    blanks around it, 1 if it is a part of the file's text.
    """
    found = [x.rstrip() for x in shown if not is_weak(x)]
    return sum(3 if x in lines else 2 if x.strip() in known else x.strip() in text for x in found)


def repaired(lines: Sequence[str], repairs: Sequence[Repair]) -> tuple[str, ...]:
    """The lines after all ``repairs``, applied in order; the lines as a tuple without any."""
    for repair in repairs:
        lines = repair(lines)
    return tuple(lines)


def is_escaped(lines: Sequence[str], language: str) -> bool:
    """Whether code was escaped for markup: an ``&lt;``, ``&gt;`` or ``&quot;`` stands outside of strings and comments,
    and the code has its sign nowhere. False in markup or an unknown language.
    """
    if not language or language in _MARKUP:
        return False
    text = "\n".join(lines)
    return any(
        _ENTITIES[found[0].lower()] not in text and _is_bare(line[: found.start()])
        for line in lines
        if not REMARK.match(line)
        for found in _ENTITY.finditer(line)
        if found[0].lower() in ("&lt;", "&gt;", "&quot;")
    )


def _is_bare(before: str) -> bool:
    """Whether no string is open after the text ``before``, and no comment has begun."""
    return not any(before.count(sign) % 2 for sign in "\"'`") and not re.search(
        r"//|/\*|--|(?:^|\s)#\s", before
    )


def with_file_signs(given: str, own: str, new: str, text: str) -> str:
    """A new line with the file's own quotes, blanks and hyphens where it equals the old line.

    given: the old line as the paste shows it. own: the same line of the file. new: the line to write. Where it differs
    from ``given``, a typographic sign stays only if ``text`` has it, else it becomes plain. All signs become plain if
    ``given`` and ``own`` differ in length, or the lengths of ``given`` and ``new`` multiply to more than 250,000.
    """
    shown, target = plain([given, new])
    if len(shown) != len(own) or len(shown) * len(target) > _MOST_LETTERS:
        return target
    result = []
    for kind, start, end, low, high in SequenceMatcher(
        None, shown, target, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            result.append(own[start:end])
        else:
            result += [x if x in text else plain([x])[0] for x in new[low:high]]
    return "".join(result)
