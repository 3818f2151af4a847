"""Compares the words for a condition with the condition that an ``if`` tests first once it is turned around.

"if the buffer is empty" fits ``if not buffer:``. Words name what is tested, or what it was given, or a state of anything.
"""

from __future__ import annotations

import re

from editd.refactor.turned_if import TurnedIf
from editd.syntax.code import Code

# In the words for a condition.
_SAYS_NOTHING = frozenset(
    """
    there is no are the a an not if any case empty missing none null nil undefined falsy truthy false unset set given it its
    has was were isn't isn aren that already current without when nothing at all s t
    """.split()  # noqa: SIM905
)
_NEGATIVE = re.compile(
    r"\b(?:no|not|n't|isn't|aren't|wasn't|doesn't|empty|missing|none|null|nil|undefined|falsy|false|unset|without|nothing)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:(?:the|all|any|every|each) )?[\w-]+ (?=(?:that|which|who|without|whose)\b)", re.IGNORECASE
)  # of the words for a condition: "hosts that are up"
_ABSENT = re.compile(r"\b(?:no|without|missing|empty|lacks?|absent|nothing)\b", re.IGNORECASE)
_ABSENT_CODE = re.compile(r"(?:\bis|==|===) ?(?:None|null|undefined|nil|0\b|\"\"|'')")
_NEGATIVE_CODE = re.compile(
    r"\bnot\b|!(?!=)|(?:\bis|==|===) ?(?:None|null|undefined|nil|False|false|0\b|\"\"|'')",
    re.IGNORECASE,
)
# Of anything: "0" that it is not there, "+" and "-" how much of it there is, "!" that it is another.
_STATES = {
    **dict.fromkeys(["empty", "missing", "none", "null", "nil", "absent", "blank", "dead", "gone", "zero", "off", "unset", "void", "depleted", "falsy", "false", "lacking"], "0"),
    **dict.fromkeys(["full", "reached", "positive", "above", "over", "more", "greater", "higher", "high", "exceeds", "exceeded", "long", "big", "large", "enough", "many", "sufficient"], "+"),
    **dict.fromkeys(["negative", "below", "under", "less", "fewer", "lower", "low", "short", "small", "few", "insufficient"], "-"),
    **dict.fromkeys(["wrong", "different", "other", "else", "invalid", "bad", "change", "changed", "changes", "differ", "differs"], "!"),
    **dict.fromkeys(
        ["too", "or", "at", "than", "least", "most", "very", "already", "still", "just", "anything", "anyone", "everything", "else", "true", "valid", "okay", "ok", "length", "size", "count", "slice", "list", "array", "string", "input", "argument", "value", "values", "thing", "things", "there's", "that's", "it's", "case", "what", "we", "you"],
        "",
    ),
}  # fmt: skip
_NULLS = {"none", "null", "nil", "undefined", "false"}
_SHORTEST = 3
_STEM = 5  # letters that two forms of a word begin with: "expiry" and ``expires``
_CONTRARY, _AFFIRMING = (
    re.compile(r"(?:dis|off|un|non|in)-?(?=\w{3})"),
    re.compile(r"(?:en|on)(?=\w{3})"),
)


def fits_guard(words: str, turn: TurnedIf, code: Code, *, is_turned: bool) -> bool:
    """Whether words for the condition of an early return say what ``turn`` tests first; also for no words.

    Code has to be that condition, white space and brackets aside. Else each word that says something has to be in the
    old condition, in what its variable was given last, or in its type, and both conditions have to be negative, or
    neither ("no match" and ``m is None``). Words such as "it is None" alone need a negative test first, which names
    ``None`` or ``null`` exactly if they do. ``False`` for words for two conditions ("and", "or"). is_turned: words may
    stand in none of these, and need not say whether ``None`` is named.
    """
    if not words:
        return True
    bare = re.sub(r"[\s()`]|;$", "", words).lower()
    guard = re.sub(r"[\s()]|^\s*(?:if|let)\b|[:{]\s*$", "", turn.opening.strip()).lower()
    if re.search(r"[=<>!&|\[\].(]", words) or re.search(r"\bis (?:not )?None\b", words):
        return bare == guard
    if re.search(r"\b(?:and|or)\b", words, re.IGNORECASE):
        return False
    named = re.match(r"(?:not |!)?([^\W\d]\w*)\b", turn.test.lstrip("("))
    given = ""
    if named:
        before = "".join(code.lines[: turn.start])
        given = next(reversed(re.findall(rf"\b{named[1]}\b[^=\n]*:?=(?!=)(.+)", before)), "")
        given += " " + " ".join(re.findall(rf"\b{named[1]}\??: ?([\w.]+)", before)[-1:])
    known = f"{turn.test} {given}".lower()
    rest = [word for word in re.findall(r"\w+", words.lower()) if word not in _SAYS_NOTHING]
    if not rest:
        is_none = re.search(r"\b(?:none|null|nil|undefined)\b", words, re.IGNORECASE)
        is_named = re.search(r"\b(?:None|null|nil|undefined)\b", turn.opening)
        is_same = is_turned or bool(is_none) == bool(is_named)
        return bool(_NEGATIVE_CODE.search(turn.opening)) and is_same
    stems = [word[:-1] if word[-1] == "s" and len(word) > 2 else word for word in rest]
    is_known = is_turned or all(
        re.search(rf"(?<![^\W_]){re.escape(stem)}s?(?![^\W_])", known) for stem in stems
    )
    return is_known and bool(_NEGATIVE.search(words)) == bool(_NEGATIVE_CODE.search(turn.opening))


def fits_description(words: str, turn: TurnedIf, code: Code) -> bool:
    """Whether words for the condition of an early return fit what ``turn`` tests first; also for no words.

    Code has to be that condition. Else each word has to be in the old condition, in what its variables were given last or in the head of
    the function, or be one for a state of anything ("empty", "too high"), or one that the buffer does not have; one of the condition has to be
    among them, unless words and code say that something is not there; and what both say must not be the contrary of each other.
    """
    if not words.strip():
        return True
    if re.search(r"[=<>!&|\[\](]|\w\.\w+$", words):
        return fits_guard(words, turn, code, is_turned=False)
    if re.search(r"\b(?:and|or)\b(?! (?:above|below|over|under|more|less))", words, re.IGNORECASE):
        return False
    words = re.sub(r"\bnon-", "not ", words, flags=re.IGNORECASE)
    words = _SUBJECT.sub("", words)
    tested = f"{turn.test} {_given(turn, code)}"
    known_words = {x.lower() for x in re.findall(r"[^\W_]+", _parted(tested))}
    around = {x.lower() for x in re.findall(r"[^\W_]+", _parted(_heads(turn, code)))}
    buffer = _parted(code.text).lower()
    rest = [x for x in re.findall(r"[^\W_]\w*", words.lower()) if x not in _SAYS_NOTHING]
    own = [x for x in rest if _is_in(x, known_words) or x in tested.lower()]
    others = [x for x in rest if x not in own and x not in _STATES and not _is_in(x, around)]
    if any(re.search(rf"(?<![^\W_]){re.escape(x)}", buffer) for x in others):
        return False
    if others and not own and not (_ABSENT.search(words) and _ABSENT_CODE.search(turn.opening)):
        return False
    return _agree(words, turn, known_words)


def is_code_of(words: str, turn: TurnedIf) -> bool:
    """Whether code is the condition of an ``if``, as it is or turned around, white space and brackets aside."""
    bare = re.sub(r"[\s()`]|;$", "", words)
    openings = (turn.opening.strip(), turn.test)
    return bare in [re.sub(r"[\s()]|^\s*(?:if|let)\b|[:{]\s*$", "", x) for x in openings]


def own_words(words: str, turn: TurnedIf, code: Code) -> set[str]:
    """The words that are in the condition of an ``if``, or in what its variables were given last."""
    known = _known_words(turn, code)
    rest = {x for x in re.findall(r"[^\W_]\w*", words.lower()) if x not in _SAYS_NOTHING}
    return {
        x
        for x in rest
        if _is_in(x, known) or any(len(x) >= _STEM and x[:_STEM] == y[:_STEM] for y in known)
    }


def is_contrary(words: str, turn: TurnedIf, code: Code) -> bool:
    """Whether words for the condition of an early return say the contrary of what ``turn`` tests first, as far as both say."""
    words = re.sub(r"\bnon[- ]", "not ", words, flags=re.IGNORECASE)
    return not _agree(_SUBJECT.sub("", words), turn, _known_words(turn, code))


def names_others(words: str, turn: TurnedIf, code: Code) -> bool:
    """Whether words for a condition name something of the function that its ``if`` does not test, and nothing that it does."""
    if own_words(words, turn, code):
        return False
    around = [x for x in code.definitions if x.is_block and x.start <= turn.start < x.end]
    inner = max(around, key=lambda x: x.start, default=None)
    lines = code.lines[inner.start : inner.end] if inner else ()
    names = {x.lower() for x in re.findall(r"[^\W_]+", _parted("".join(lines)))}
    rest = {x for x in re.findall(r"[^\W_]\w*", words.lower()) if x not in _SAYS_NOTHING}
    return any(x not in _STATES and {x, x.removesuffix("s")} & names for x in rest)


def _known_words(turn: TurnedIf, code: Code) -> set[str]:
    """The words of a condition and of what its variables were given last."""
    tested = f"{turn.test} {_given(turn, code)}"
    return {x.lower() for x in re.findall(r"[^\W_]+", _parted(tested))}


def _parted(text: str) -> str:
    """The text with blanks between the words of its names."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)


def _heads(turn: TurnedIf, code: Code) -> str:
    """The first lines and the full name of the definition around a turned ``if``."""
    around = [x for x in code.definitions if x.is_block and x.start <= turn.start < x.end]
    if not around:
        return ""
    inner = max(around, key=lambda x: x.start)
    head = "".join(code.lines[inner.start : turn.start]).partition(")")[0]
    return f"{inner.qualified} {head}"


def _given(turn: TurnedIf, code: Code) -> str:
    """The code that the variables of a condition were given last before it, and the types that they have."""
    before = "".join(code.lines[: turn.start])
    names = re.findall(r"[^\W\d]\w*", turn.test)
    found = (re.findall(rf"(?<![\w.]){name}\b[^=\n]*:?=(?!=)(.+)", before)[-1:] for name in names)
    types = (re.findall(rf"\b{name}\??: ?([\w.]+)", before)[-1:] for name in names)
    return " ".join(x for given in (*found, *types) for x in given)


def _is_in(word: str, known: set[str]) -> bool:
    """Whether a word, or its beginning or stem, is among the known ones: "length" for ``len``, "offline" for ``online``."""
    stem = re.sub(r"(?:ies|es|s)$", "", word) if len(word) > _SHORTEST else word
    bare = _CONTRARY.sub("", word)
    return any(
        stem in (x, x.removesuffix("s"))
        or (len(x) >= _SHORTEST and word.startswith(x))
        or (bare != word and bare == _AFFIRMING.sub("", x))
        for x in known
    )


def _is_contrary(word: str, known: set[str]) -> bool:
    """Whether a word is the contrary of a known one by its beginning: "unplayable", "offline" for ``online``."""
    bare = _CONTRARY.sub("", word)
    is_one = bare != word and word not in known
    return is_one and (_is_in(bare, known) or bare in {_AFFIRMING.sub("", x) for x in known})


def _agree(words: str, turn: TurnedIf, known: set[str]) -> bool:
    """Whether words and the test of an early return do not say the contrary of each other, as far as both say."""
    text = words.lower()
    is_denied = bool(
        re.search(
            r"\b(?:not|no|n't|(?:is|are|does|do|has|was|ca)nt|isn't|aren't|doesn't|nothing|without|anything but)\b|n't\b",
            text,
        )
    )
    tested = {x.lower() for x in re.findall(r"[^\W_]+", _parted(turn.test))}
    states = [x for x in re.findall(r"\w+", text) if x in _STATES and x not in tested - _NULLS]
    contrary = any(_is_contrary(x, known) for x in re.findall(r"\w+", text))
    opening = turn.opening
    compared = re.search(r"(?<![-=<])([<>])=?(?![>\w<])", opening)
    is_turned = bool(re.match(r"\s*if \(?(?:!\(|not )", opening))
    if compared and not re.search(r"(?:==|<=) ?0\b", opening):
        directions = {_STATES[x] for x in states} - {""}
        direction = next(iter(directions), "") if len(directions) == 1 else ""
        if not direction or direction == "0":
            return not states or direction == "0"
        goes_up = (direction == "+") != is_denied
        return goes_up == ((compared[1] == ">") != is_turned)
    is_negative = bool(
        re.search(
            r"\bnot\b(?! None)|!|(?:==|===|<=|\bis) ?(?:None|null|undefined|nil|False|false|0\b|\"\"|'')",
            opening,
        )
    )
    is_unequal = bool(re.search(r"!==?", opening))
    if is_unequal:
        return is_denied or any(_STATES[x] in ("!", "-") for x in states)
    says_not = (is_denied or contrary) != any(_STATES[x] in ("0", "-", "!") for x in states)
    return says_not == is_negative
