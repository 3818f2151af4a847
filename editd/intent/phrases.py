"""Pairs of an old and a new text, in phrases anywhere in an instruction: "rename A to B", "A -> B".

Whether the old text occurs in a buffer is for the caller to look. It prefers silence to a guess: bare
English words ("change the loop to a comprehension") are no names. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from editd.intent.english import PRONOUNS, cut_owner, has_letters_or_signs, is_code_like
from editd.intent.tagged_line import (
    JOINED,
    JOINT,
    TERM,
    TaggedLine,
    Term,
    either,
    is_of_signs,
    term_before,
)

Pairs = list[tuple[str, str]]
Found = tuple[Pairs, int] | None  # and where the phrase ends


_VERBS = {
    "rename": "rename renames renamed renaming ren",
    "replace": "replace replaces replaced replacing substitute substitutes substituting swap swaps swapping "
    "exchange exchanging",
    "change": "change changes changed changing",
    "convert": "convert converts converting turn turns turning switch switches switching migrate migrates "
    "migrating bump bumps bumping upgrade upgrades update updates increase increases decrease decreases raise "
    "lower port refactor set",
}
_BETWEEN = {
    "rename": either("to as into"),
    "replace": either("with by for to"),
    "change": either("to into"),
    "convert": either("to into"),
}
_MODALS = either(
    "should must shall be is are was were been being gets get to needs need has have ought all now"
)
_ANY_VERB = either(" ".join(_VERBS.values()))
_PLACE = either("in of from inside within everywhere throughout across globally consistently")
_IS_VERB = re.compile(_ANY_VERB, re.IGNORECASE)
_NUMBER = re.compile(r"v?\d+(\.\d+)*%?")
_USED = re.compile(
    rf"(?:^|(?<!\S)(?P<verb>{either('use using prefer call write want put have with say')}))$",
    re.IGNORECASE,
)
_OF_SIGNATURES = re.compile(f"{either('def fn func returns lambda')}$", re.IGNORECASE)
_SED = re.compile(
    r"(?<![\w/.])s(?P<cut>[/|#])(?P<old>(?:\\.|(?!(?P=cut))[^\\\n])+)(?P=cut)"
    r"(?P<new>(?:\\.|(?!(?P=cut))[^\\\n])*)(?P=cut)(?:[gimIe]{0,3})(?![\w/])"
)


def pairs_in(text: str) -> tuple[tuple[str, str], ...]:
    """The ``(old, new)`` pairs that the text names, those of ``s/a/b/`` last, each old text once, its first pair, a
    function's name without call brackets; none with equal sides, nor with an old text that is white space alone,
    written as such or as an escape.
    """
    line = TaggedLine.of(text)
    pairs: Pairs = []
    end = 0
    for word in re.finditer(r"\S+ ", line.text):
        for pattern, read in _phrases() if word.start() >= end else ():
            match = pattern.match(line.text, word.start())
            if match and (found := read(line, match)):
                pairs += found[0]
                end = found[1]
                break
    pairs += _sed(text)
    unique: dict[str, str] = {}
    for old, new in (_without_common_call(*pair) for pair in pairs):
        if has_letters_or_signs(old) and old != new:
            unique.setdefault(old, new)
    return tuple(unique.items())


@cache
def _phrases() -> list[tuple[re.Pattern[str], Callable[[TaggedLine, re.Match[str]], Found]]]:
    """The patterns of how each kind of phrase begins, up to the new text or the term after it, each
    with its reader, in the order in which they are tried. Made once.
    """
    searching = f"{either('find search look locate')}(?:.for )?(?P<old>){term_before('.and ')}"
    replacing = f"{either(_VERBS['replace'])}(?:{either(' '.join(PRONOUNS))})?{_BETWEEN['replace']}"
    exchanged = f"{either('replaced substituted exchanged')}{_BETWEEN['replace']}"
    changed = f".renamed {_BETWEEN['rename']}(?P<rename>)|.changed {_BETWEEN['change']}|{exchanged}"
    instead = ".instead .of |.rather .than |.in .place .of |(?P<over>.over )"
    kinds: list[tuple[str, Callable[[TaggedLine, re.Match[str]], Found]]] = [
        *((either(words), _verb_phrase(base)) for base, words in _VERBS.items()),
        (rf"{searching}(?:\S+ ){{0,4}}?{replacing}", _sought),
        (f"{TERM}{_MODALS}*(?:{changed})", _passive),
        (f"{TERM}(?:{instead})", _instead_of),
        (r'(?P<old>)(?:a\S+ )?(?:[a-z]\S+|"\d+) > (?P<new>)', _arrow),
    ]
    return [(re.compile(pattern, re.IGNORECASE), read) for pattern, read in kinds]


@cache
def _between(base: str) -> re.Pattern[str]:
    """The pattern of an old text and how it is replaced, up to the new one: ``A and B with``, ``A
    from B to``, ``A in f to``. base: the verb's usual form, a key of ``_BETWEEN``.
    """
    between = _BETWEEN[base]
    terms = f"{term_before(between)}(?:{JOINT}{term_before(between)}){{0,7}}"
    return re.compile(
        rf"(?:,: )?(?:(?P<old>){terms})?(?:.from (?P<again>){terms})?"
        rf"(?:(?={_PLACE}|,\( )(?:(?!{between})(?:[a-z\"]\S+|,[()]) ){{0,7}})?"
        rf"(?:(?P<separator>{between})|[>~] )(?:.be {either('called named')})?(?P<nothing>.nothing )?",
        re.IGNORECASE,
    )


def _verb_phrase(base: str) -> Callable[[TaggedLine, re.Match[str]], Found]:
    """Make the reader of ``rename A to B``, ``replace A and B with C``, ``change A from B to C``,
    and chains of them.

    The reader returns all pairs and where the phrase ends; ``None`` if the verb is denied, or there
    is no pair.
    """

    def read(line: TaggedLine, match: re.Match[str]) -> Found:
        pairs: Pairs = []
        end = start = match.end()
        while not line.is_negated(match.start()) and (
            phrase := _between(base).match(line.text, start)
        ):
            at = max(phrase.start("old"), phrase.start("again"))
            olds = line.terms(at, _BETWEEN[base]) if at >= 0 else []
            if not olds or not (found := _exchanged(line, match[0], base, olds, phrase)):
                break
            pairs += found[0]
            end = found[1]
            joint = JOINED.match(line.text, end)
            if joint is None or _IS_VERB.match(line.text, joint.end()):
                break
            start = joint.end()
        return (pairs, end) if pairs else None

    return read


def _exchanged(
    line: TaggedLine, verb: str, base: str, olds: list[Term], phrase: re.Match[str]
) -> Found:
    """The pairs of old terms with the terms after ``phrase``, one each or one for all, and where the last ends;
    "substitute B for A" the other way round. "replace … with nothing" gives pairs with an empty new text, without those
    old terms that cannot be meant.

    ``None`` if no term follows, or one cannot be meant, or for "with nothing" after another verb. verb: as written,
    with its tag. base: its usual form.
    """
    if phrase["nothing"]:
        removed = [(old.text, "") for old in olds if old.possible]
        return (removed, phrase.end()) if base == "replace" else None
    news = line.terms(phrase.end(), most=len(olds))
    if not news:
        return None
    if (phrase["separator"] or "").lower() == "efor " and verb[1:].lower().startswith(
        "substitut"
    ):  # "B for A"
        return _accepted(line, base, news[:1], olds[0])
    if len(news) > 1 and len(news) == len(olds):  # "rename a and b to c and d"
        both = list(zip(olds, news, strict=True))
        fits = all(_fits(base, old, new) for old, new in both)
        return ([(old.text, new.text) for old, new in both], news[-1].end) if fits else None
    return _accepted(line, base, olds, news[0])


def _accepted(line: TaggedLine, base: str, olds: list[Term], new: Term) -> Found:
    """The pairs of all old terms with the new one, and where the last ends; for "rename" without an owner that both
    share (``Foo.``). ``None`` if one does not fit, or the phrase goes on behind a bare new one.
    """
    fits = all(_fits(base, old, new) for old in olds)
    if not fits or not (new.quoted or line.ends_phrase(new.end)):
        return None
    pairs = [(old.text, new.text) for old in olds]
    if base == "rename":
        pairs = [_last_names(*pair) for pair in pairs]
    return pairs, max(new.end, *(old.end for old in olds))


def _fits(base: str, old: Term, new: Term) -> bool:
    """Whether the verb (``base``, its usual form) can mean that one term becomes the other. Not if one is not ``possible``, for
    signs and styles of writing, nor if the old one only describes something (but to rename it); for "convert" only if both
    are quoted or of the same kind, as two numbers.
    """
    if not (old.possible and new.possible) or is_of_signs(old, new, is_naming=base == "rename"):
        return False
    if old.described and base != "rename":
        return False  # "change the return type to int"
    # "convert foo to async" means something else than an exchange of words.
    return base != "convert" or (old.quoted and new.quoted) or _same_kind(old.text, new.text)


def _same_kind(old: str, new: str) -> bool:
    """Whether both are numbers, or both can hardly be English."""
    numbers = [bool(_NUMBER.fullmatch(text)) for text in (old, new)]
    return all(numbers) or (not any(numbers) and is_code_like(old) and is_code_like(new))


def _pair_of(line: TaggedLine, match: re.Match[str], base: str, before: str = "(?!)") -> Found:
    """The pair of the old text in ``match`` and the new one behind it, and where the phrase ends; ``None`` if one of both
    is missing or cannot be meant. base: the verb's usual form. before: a pattern before which the old text ends.
    """
    olds, news = line.terms(match.start("old"), before, 1), line.terms(match.end(), most=1)
    return _accepted(line, base, olds, news[0]) if olds and news else None


def _sought(line: TaggedLine, match: re.Match[str]) -> Found:
    """The pair of ``find A and replace it with B``; ``None`` if it cannot be meant."""
    return _pair_of(line, match, "replace", ".and ")


def _passive(line: TaggedLine, match: re.Match[str]) -> Found:
    """The pair of ``A should be renamed to B``, ``I want A replaced by B``, and its end; ``None`` if the verb is
    denied, or one of both is missing or cannot be meant as it stands (``Term.possible``).
    """
    if line.is_negated(match.start("term")):
        return None
    return _pair_of(line, match, "replace" if match["rename"] is None else "rename")


def _instead_of(line: TaggedLine, match: re.Match[str]) -> Found:
    """The pair of ``use B instead of A``, ``prefer B over A``, and its end.

    ``None`` if B is bare and no verb like "use" stands before it, or a denied one; if the phrase goes on after a bare
    A; if "over" stands without "prefer"; if a term is missing, cannot be meant as it stands, or is a bare word for
    signs or a style of writing.
    """
    news, olds = line.terms(match.start("old"), most=1), line.terms(match.end(), most=1)
    if not news or not olds or not (news[0].possible and olds[0].possible):
        return None
    old, new = olds[0], news[0]
    if not (old.quoted or line.ends_phrase(old.end)) or is_of_signs(old, new):
        return None
    used = _USED.search(line.text, max(0, match.start() - 10), match.start())
    if not new.quoted and (not used or (used["verb"] and line.is_negated(used.start()))):
        return None
    if match["over"] and not re.search(r"\b.prefer ", line.text[: match.start()], re.IGNORECASE):
        return None
    return [(old.text, new.text)], old.end


def _arrow(line: TaggedLine, match: re.Match[str]) -> Found:
    """The pair of ``A -> B``, ``A => B``, ``A → B`` between two terms that stand alone, and its end.

    ``None`` in a signature, after a bare call if B is none, if the phrase goes on after a bare B, or a term cannot be
    meant as it stands.
    """
    old, new = line.alone(match.start("old")), line.alone(match.start("new"))
    if old is None or new is None or _OF_SIGNATURES.search(line.text, 0, match.start()):
        return None
    if not old.quoted and old.text.endswith(")") and (new.quoted or not new.text.endswith(")")):
        return None  # "f(x) -> int" is a signature
    if not (old.possible and new.possible) or is_of_signs(old, new):
        return None
    is_end = new.quoted or line.ends_phrase(new.end)
    return ([(old.text, new.text)], new.end) if is_end else None


def _sed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of ``s/A/B/g`` with any usual delimiter, where A is plain text and no
    pattern, and B has no ``&`` or backslash.
    """
    for match in _SED.finditer(text):
        old, new = (re.sub(r"\\([/|#])", r"\1", match[name]) for name in ("old", "new"))
        old = re.sub(r"^\\[b<]|\\[b>]$", "", old)
        if not re.search(r"[\\^$*+?\[\](){}]", old) and "\\" not in new and "&" not in new:
            yield old, new


def _last_names(old: str, new: str) -> tuple[str, str]:
    """The pair without a common owner: ``Foo.bar`` renamed to ``baz`` or to ``Foo.baz`` is a rename of ``bar``;
    unchanged without an owner, or if the new name has another one.
    """
    owner, name = cut_owner(old)
    new = new.removeprefix(owner)
    return (name, new) if owner and not re.search(r"\.|::|#|\s", new) else (old, new)


def _without_common_call(old: str, new: str) -> tuple[str, str]:
    """The pair without call brackets: ``foo()`` to ``bar()``, and ``foo()`` to ``bar``, are about
    the names; unchanged otherwise.
    """
    if old.endswith("()") and len(old) > 2 and (new.endswith("()") or "(" not in new):
        return old[:-2], new.removesuffix("()")
    return old, new
