"""What is to be replaced by what, in phrases anywhere in an instruction: "rename A to B", "A -> B".

Whether the old text occurs in a buffer is for the caller to look. It prefers silence to a guess: bare
English words ("change the loop to a comprehension") are no names. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.instruction.sentences import has_letters_or_signs
from editd.instruction.terms import (
    FILLERS,
    Term,
    after_conjunction,
    ends_phrase,
    is_negated,
    kind_at,
    skip_place,
    term_at,
    term_ending,
    terms_at,
    word_at,
)
from editd.instruction.wording import (
    ARTICLES,
    CASE_STYLE,
    PRONOUNS,
    SIGNS,
    Token,
    is_code_like,
    tokens_of,
)


def pairs_in(instruction: str) -> tuple[tuple[str, str], ...]:
    """The ``(old, new)`` pairs that the instruction names, in its order, each old text once.

    ``rename `a` to `b` `` gives ``(("a", "b"),)``; ``new`` may be empty (replace A with nothing).
    """
    tokens = tokens_of(instruction)
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(tokens):
        for rule in (_verb_phrase, _passive, _should_be, _instead_of, _call_it, _arrow):
            found = rule(tokens, at)
            if found is not None:
                pairs.extend(found.pairs)
                at = max(found.end, at + 1)
                break
        else:
            at += 1
    pairs.extend(_sed(instruction))
    unique: dict[str, str] = {}
    for old, new in (_without_common_call(*pair) for pair in pairs):
        if has_letters_or_signs(old) and old != new:
            unique.setdefault(old, new)
    return tuple(unique.items())


@dataclass(frozen=True, slots=True)
class _Found:
    pairs: list[tuple[str, str]]
    end: int  # index of the first token after the phrase


_RENAME = frozenset(["rename", "renames", "renamed", "renaming", "ren"])
_REPLACE = frozenset(
    """
    replace replaces replaced replacing substitute substitutes substituting swap swaps swapping
    exchange exchanging
    """.split()  # noqa: SIM905
)
_CHANGE = frozenset(["change", "changes", "changed", "changing"])
_CONVERT = frozenset(
    """
    convert converts converting turn turns turning switch switches switching migrate migrates
    migrating bump bumps bumping upgrade upgrades update updates increase increases decrease
    decreases raise lower port refactor set
    """.split()  # noqa: SIM905
)
_SEPARATORS = {
    **dict.fromkeys(_RENAME, frozenset(["to", "as", "into"])),
    **dict.fromkeys(_REPLACE, frozenset(["with", "by", "for", "to"])),
    **dict.fromkeys(_CHANGE, frozenset(["to", "into"])),
    **dict.fromkeys(_CONVERT, frozenset(["to", "into"])),
}


def _verb_phrase(tokens: Sequence[Token], at: int) -> _Found | None:
    """``rename A to B``, ``replace A and B with C``, ``change A from B to C``, and chains of them."""
    verb = tokens[at].word
    separators = _SEPARATORS.get(verb)
    if separators is None or is_negated(tokens, at):
        return None
    pairs: list[tuple[str, str]] = []
    start, end = at + 1, at + 1
    while True:
        found = _old_to_new(tokens, start, verb, separators)
        if found is None:
            break
        pairs.extend(found.pairs)
        end = found.end
        start = after_conjunction(tokens, end)
        if start == end or word_at(tokens, start) in _SEPARATORS:
            break
    return _Found(pairs, end) if pairs else None


def _old_to_new(
    tokens: Sequence[Token], start: int, verb: str, separators: frozenset[str]
) -> _Found | None:
    if kind_at(tokens, start) == "mark" and tokens[start].text == ":":
        start += 1
    olds, at = terms_at(tokens, start, separators)
    if (not olds or olds[0].token.word in PRONOUNS) and verb in _REPLACE:
        sought = _sought(tokens, start)  # "find A and replace it with B"
        if sought is not None:
            olds, at = [sought], max(at, start)
    if word_at(tokens, at) == "from" or word_at(tokens, start) == "from":  # "change A from B to C"
        again = at if word_at(tokens, at) == "from" else start
        olds, at = terms_at(tokens, again + 1, separators)
    if not olds:
        return None
    at = skip_place(tokens, at, separators)
    separator = word_at(tokens, at)
    arrow = kind_at(tokens, at) == "arrow"
    if not arrow and separator not in separators:
        return None
    if word_at(tokens, at + 1) == "be" and word_at(tokens, at + 2) in ("called", "named"):
        at += 2
    if word_at(tokens, at + 1) == "nothing" and verb in _REPLACE:
        return _Found([(old.text, "") for old in olds if old.possible], at + 2)
    news, end = terms_at(tokens, at + 1, frozenset(), most=len(olds))
    if not news:
        return None
    new = news[0]
    if separator == "for" and verb.startswith("substitut"):  # "substitute B for A"
        return _accept(tokens, verb, news[:1], olds[0])
    if len(news) > 1 and len(news) == len(olds):  # "rename a and b to c and d"
        if all(_fits(verb, old, one) for old, one in zip(olds, news, strict=True)):
            return _Found([(o.text, n.text) for o, n in zip(olds, news, strict=True)], end)
        return None
    return _accept(tokens, verb, olds, new)


def _sought(tokens: Sequence[Token], at: int) -> Term | None:
    """A in "find A and replace it with B": the object of an earlier find or search."""
    for back in range(at - 1, max(at - 9, -1), -1):
        if tokens[back].word in ("find", "search", "look", "locate"):
            start = back + 2 if word_at(tokens, back + 1) == "for" else back + 1
            return term_at(tokens, start, frozenset(["and"]))
    return None


def _accept(tokens: Sequence[Token], verb: str, olds: list[Term], new: Term) -> _Found | None:
    if not all(_fits(verb, old, new) for old in olds):
        return None
    end = max(new.end, *(old.end for old in olds))
    if not new.token.quoted and not ends_phrase(tokens, new.end):
        return None
    pairs = [(old.text, new.text) for old in olds]
    if verb in _RENAME:
        pairs = [_last_names(old, name) for old, name in pairs]
    return _Found(pairs, end)


def _fits(verb: str, old: Term, new: Term) -> bool:
    if not (old.possible and new.possible) or _is_of_signs(verb, old, new):
        return False
    if old.described and verb not in _RENAME:
        return False  # "change the return type to int"
    if verb in _CONVERT:
        # "convert foo to async" means something else than an exchange of words.
        return (old.token.quoted and new.token.quoted) or _same_kind(old.text, new.text)
    return True


def _is_of_signs(verb: str, old: Term, new: Term) -> bool:
    """Whether "tabs", "semicolons" or "snake_case" stand for something else than these words."""
    bare = [term.token.word for term in (old, new)]
    if any(map(CASE_STYLE.fullmatch, bare)):
        return True
    return verb not in _RENAME and any(word in SIGNS for word in bare)


def _same_kind(old: str, new: str) -> bool:
    if _NUMBER.fullmatch(old) or _NUMBER.fullmatch(new):
        return bool(_NUMBER.fullmatch(old) and _NUMBER.fullmatch(new))
    if CASE_STYLE.fullmatch(old) or CASE_STYLE.fullmatch(new):
        return False
    return is_code_like(old) and is_code_like(new)


_NUMBER = re.compile(r"v?\d+(\.\d+)*%?")
_PLAINLY_A_NAME = re.compile(r"(?=.*(?:_|[a-z][A-Z]))[^\W\d]\w*")


def _passive(tokens: Sequence[Token], at: int) -> _Found | None:
    """``A should be renamed to B``, ``I want A replaced by B``."""
    verb = tokens[at].word
    if verb not in ("renamed", "replaced", "changed", "substituted", "exchanged"):
        return None
    base = "rename" if verb == "renamed" else "replace" if verb != "changed" else "change"
    separators = _SEPARATORS[base]
    if word_at(tokens, at + 1) not in separators:
        return None
    back = at - 1
    while back >= 0 and tokens[back].word in _MODALS:
        back -= 1
    old = term_ending(tokens, back)
    news, _ = terms_at(tokens, at + 2, frozenset(), most=1)
    if old is None or not news or is_negated(tokens, back):
        return None
    return _accept(tokens, base, [old], news[0])


_MODALS = frozenset(
    """
    should must shall be is are was were been being gets get to needs need has have ought all now
    """.split()  # noqa: SIM905
)


def _should_be(tokens: Sequence[Token], at: int) -> _Found | None:
    """``A should be called B``; without "called" only where both are plainly code."""
    if tokens[at].word not in ("should", "must", "shall", "becomes", "become", "ought", "needs"):
        return None
    step = at + 1
    while word_at(tokens, step) in ("be", "become", "to", "now", "always", "rather"):
        step += 1
    named = word_at(tokens, step) in ("called", "named")
    if word_at(tokens, at + 1) == "not":
        return None
    if named:
        step += 1
    old = term_ending(tokens, at - 1)
    news, _ = terms_at(tokens, step, frozenset(), most=1)
    if old is None or not news:
        return None
    new = news[0]
    quoted = old.token.quoted and new.token.quoted
    if not (named or quoted or _both_names(old.text, new.text)):
        return None
    return _accept(tokens, "rename", [old], new)


def _both_names(old: str, new: str) -> bool:
    return bool(_PLAINLY_A_NAME.fullmatch(old) and _PLAINLY_A_NAME.fullmatch(new))


def _instead_of(tokens: Sequence[Token], at: int) -> _Found | None:
    """``use B instead of A``, ``prefer B over A``."""
    word, following = tokens[at].word, word_at(tokens, at + 1)
    if (word, following) in (("instead", "of"), ("rather", "than")):
        start = at + 2
    elif (word, following, word_at(tokens, at + 2)) == ("in", "place", "of"):
        start = at + 3
    elif word == "over" and any(token.word == "prefer" for token in tokens[:at]):
        start = at + 1
    else:
        return None
    new = term_ending(tokens, at - 1)
    olds, _ = terms_at(tokens, start, frozenset(), most=1)
    if new is None or not olds or not new.possible or not olds[0].possible:
        return None
    if _is_of_signs("", olds[0], new):
        return None
    if not (olds[0].token.quoted or ends_phrase(tokens, olds[0].end)):
        return None
    if not (new.token.quoted or _follows_use(tokens, at - 2)):
        return None
    return _Found([(olds[0].text, new.text)], olds[0].end)


def _follows_use(tokens: Sequence[Token], at: int) -> bool:
    while at >= 0 and tokens[at].word in FILLERS:
        at -= 1
    verbs = ("use", "using", "prefer", "call", "write", "want", "put", "have", "with", "say")
    return at < 0 or (tokens[at].word in verbs and not is_negated(tokens, at))


def _call_it(tokens: Sequence[Token], at: int) -> _Found | None:
    """``call A B instead``, ``give A the name B``."""
    if tokens[at].word not in ("call", "name", "give") or is_negated(tokens, at):
        return None
    olds, after = terms_at(tokens, at + 1, frozenset(), most=1)
    if not olds:
        return None
    if tokens[at].word == "give" and word_at(tokens, after) not in ARTICLES:
        return None
    news, end = terms_at(tokens, after, frozenset(), most=1)
    if not news:
        return None
    old, new = olds[0], news[0]
    if not (old.possible and new.possible and ends_phrase(tokens, end)):
        return None
    sure = old.token.quoted and new.token.quoted
    if not (sure or word_at(tokens, end) == "instead" or _both_names(old.text, new.text)):
        return None
    return _Found([_last_names(old.text, new.text)], end)


def _arrow(tokens: Sequence[Token], at: int) -> _Found | None:
    """``A -> B``, ``A => B``, ``A → B`` between two terms that stand alone."""
    arrow = tokens[at]
    if arrow.kind != "arrow" or arrow.tight or at == 0 or at + 1 >= len(tokens):
        return None
    old, new = tokens[at - 1], tokens[at + 1]
    if old.kind != "term" or new.kind != "term":
        return None
    if word_at(tokens, at - 2) in ("def", "fn", "func", "returns", "lambda"):
        return None
    old_term = Term(old, at, article=word_at(tokens, at - 2) in ARTICLES, kind=False)
    new_term = Term(new, at + 2, article=False, kind=False)
    calls = [not term.quoted and term.text.endswith(")") for term in (old, new)]
    if calls[0] and not calls[1]:
        return None  # "f(x) -> int" is a signature
    if not (old_term.possible and new_term.possible) or _is_of_signs("", old_term, new_term):
        return None
    if not (new.quoted or ends_phrase(tokens, at + 2)):
        return None
    return _Found([(old.text, new.text)], at + 2)


def _sed(instruction: str) -> list[tuple[str, str]]:
    """``s/A/B/g`` with any usual delimiter, where A is plain text and no pattern."""
    pairs = []
    for match in _SED.finditer(instruction):
        old, new = (re.sub(r"\\([/|#])", r"\1", match[name]) for name in ("old", "new"))
        old = re.sub(r"^\\[b<]|\\[b>]$", "", old)
        if not re.search(r"[\\^$*+?\[\](){}]", old) and "\\" not in new and "&" not in new:
            pairs.append((old, new))
    return pairs


_SED = re.compile(
    r"(?<![\w/.])s(?P<cut>[/|#])(?P<old>(?:\\.|(?!(?P=cut))[^\\\n])+)(?P=cut)"
    r"(?P<new>(?:\\.|(?!(?P=cut))[^\\\n])*)(?P=cut)(?:[gimIe]{0,3})(?![\w/])"
)


def _last_names(old: str, new: str) -> tuple[str, str]:
    """``Foo.bar`` renamed to ``baz`` or to ``Foo.baz`` is a rename of ``bar``."""
    cut = re.fullmatch(r"(.*(?:\.|::|#))([^\W\d][\w$]*(?:\(\))?)", old)
    if cut is None:
        return old, new
    new = new.removeprefix(cut[1])
    return (cut[2], new) if not re.search(r"\.|::|#|\s", new) else (old, new)


def _without_common_call(old: str, new: str) -> tuple[str, str]:
    """``foo()`` to ``bar()``, and ``foo()`` to ``bar``, are about the names."""
    if old.endswith("()") and len(old) > 2 and (new.endswith("()") or "(" not in new):
        return old[:-2], new.removesuffix("()")
    return old, new
