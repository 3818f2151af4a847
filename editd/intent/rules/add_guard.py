"""Add a guard: how people ask that a function return or raise something first if a condition holds."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS, QUOTED
from editd.intent.intents import AddGuard
from editd.intent.rules.guess import Guess

_NAME = r"[`'\"]?(?P<name>[^\W\d][\w$]*(?:(?:\.|::|#)[\w$]+)*)(?:\(\))?[`'\"]?"
_FUNCTION = r"(?:the )?(?:(?:function|method|func) )?(?:called )?{name}(?: (?:function|method))?"
_VALUE = (
    rf"(?:{QUOTED}|an? empty (?:list|array|string|dict|dictionary|object|tuple|map)|nothing|early|(?:an? )?(?:new )?[A-Z]\w+\(.*?\)(?= |,|$)|(?:an? )?(?:new )?[A-Z]\w+"
    r"|[^\s,;]+(?:, ?[^\s,;]+)*)"
)
_VERB = r"(?:return|give back|yield back|raise|throw|bail out with|short-?circuit to|do|exit early|return early)"
_ACT = (
    rf"(?P<verb>{_VERB})s?(?: (?P<value>(?!(?:if|when|from|in|for) ){_VALUE}))?"
    rf"(?:,? (?:saying|with(?: the)? (?:message|text)|with) (?P<message>{QUOTED}))?(?: early| immediately| right away| straight away| instead)?"
)
_SUBJECT = r"(?P<subject>(?:the |an? |its )?[`'\"]?[^\W\d][\w$]*(?:\.[\w$]+)*[`'\"]?(?: (?:argument|parameter|param|list|array|string))?)"
_NULL = r"(?:None|null or undefined|undefined or null|null|undefined|nil)"
_NUMBER = r"[`'\"]?-?[\w.]+[`'\"]?"
_CODE = r"[`'\"]?(?P<left>(?:not |!)?[\w$.]+(?:\([\w$.]*\))?)(?: ?(?P<sign>[<>]=?|[!=]==?) ?(?P<right>-?[\w$.\"'\[\]]+))?[`'\"]?"
_CONDITIONS = (
    ("empty", re.compile(rf"{_SUBJECT} (?:is|are) (?:an )?empty(?: (?:list|string|array|sequence|dict|slice))?|{_SUBJECT.replace('subject', 'subject2')} (?:has no|contains no|doesn't have any) (?:items|elements|entries|values)|there (?:are|is) no {_SUBJECT.replace('subject', 'subject3')}", re.IGNORECASE)),
    ("", re.compile(rf"{_SUBJECT} (?:is|are|==|===|equals) (?P<null>{_NULL})", re.IGNORECASE)),
    ("word", re.compile(rf"{_SUBJECT} is (?P<word>negative|zero|not positive|falsy|false|not true)", re.IGNORECASE)),
    ("than", re.compile(rf"{_SUBJECT} is (?P<than>less than or equal to|greater than or equal to|at most|at least|less than|smaller than|lower than|below|under|greater than|larger than|bigger than|more than|above|over|equal to|not) (?P<number>{_NUMBER})", re.IGNORECASE)),
    ("is", re.compile(rf"{_SUBJECT} is (?P<number>-?\d[\d.]*|{QUOTED})", re.IGNORECASE)),
    ("code", re.compile(_CODE)),
)  # fmt: skip
_WORDS = {"negative": "< 0", "zero": "== 0", "not positive": "<= 0", "falsy": "false", "false": "false", "not true": "false"}  # fmt: skip
_SIGNS = {
    "less than or equal to": "<=", "at most": "<=", "greater than or equal to": ">=", "at least": ">=", "less than": "<",
    "smaller than": "<", "lower than": "<", "below": "<", "under": "<", "greater than": ">", "larger than": ">",
    "bigger than": ">", "more than": ">", "above": ">", "over": ">", "equal to": "==", "not": "!=",
}  # fmt: skip
_IF = r"(?:if|when|whenever|in case|for the case that)"
# "for an empty list"
_EMPTY_INPUT = re.compile(
    r"(?:for|on|given|with) (?:an? |the )?empty (?P<noun>[\w.]+)(?P<rest>$|,| )", re.IGNORECASE
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:in|inside) {_FUNCTION.format(name=_NAME)}[,:]? {_ACT} {_IF} (?P<condition>.+)",
        rf"(?:in|inside) {_FUNCTION.format(name=_NAME)}[,:]? {_IF} (?P<condition>.+?),? (?:then )?{_ACT}",
        rf"(?:let |have |make )?{_FUNCTION.format(name=_NAME)}(?::| should| must| has to| needs to| shall| to| can)?(?: just| simply| immediately)? {_ACT} {_IF} (?P<condition>.+)",
        rf"{_IF} (?P<condition>.+?),? {_FUNCTION.format(name=_NAME)} (?:should|must|has to) (?:just )?{_ACT}",
        rf"{_ACT} (?:from|in|inside) {_FUNCTION.format(name=_NAME)} {_IF} (?P<condition>.+)",
        rf"{_ACT} {_IF} (?P<condition>.+?) in {_FUNCTION.format(name=_NAME)}",
        rf"add an? (?:early return|guard(?: clause)?|check) (?:to|in|at the top of) {_FUNCTION.format(name=_NAME)}(?::| that| to| which|,) {_ACT} {_IF} (?P<condition>.+)",
        rf"add an? (?:early return|guard(?: clause)?|check) (?:to|in|at the top of) {_FUNCTION.format(name=_NAME)}(?::| that| to| which|,) {_IF} (?P<condition>.+?),? {_ACT}",
        rf"{_ACT} {_IF} (?P<condition>.+)",
        rf"{_IF} (?P<condition>.+?),? (?:then )?{_ACT}",
    )
)
_EMPTY = {"list": "[]", "array": "[]", "string": '""', "dict": "{}", "dictionary": "{}", "object": "{}", "map": "{}", "tuple": "()"}  # fmt: skip
_VERBS = (
    "return",
    "returns",
    "raise",
    "throw",
    "call",
    "log",
    "it",
    "so",
    "and",
    "add",
    "please",
    "then",
    "to",
)


def _guarded(text: str) -> AddGuard | None:
    """The intent of a request that a function return or raise a value if a condition holds, of which each word is
    understood; ``None`` for another request.
    """
    text = _EMPTY_INPUT.sub(_in_full, text)
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        name = parts.get("name") or ""
        if name.lower() in FUNCTION_WORDS | frozenset(_VERBS):
            continue
        act = _act(parts)
        condition = _condition(parts["condition"].strip())
        if act is None or condition is None:
            continue
        verb_raises, value, message = act
        subject, test = condition
        plain = re.sub("::|#", ".", name)
        words = parts["condition"].strip(" `")
        return AddGuard(plain, value, subject, test, verb_raises, message, words)
    return None


def _in_full(found: re.Match[str]) -> str:
    """The condition for an empty input in full: "if the list is empty" of "for an empty list"."""
    return f"if the {found['noun']} is empty{found['rest']}"


def _act(parts: dict[str, str | None]) -> tuple[bool, str, str] | None:
    """The act of the guard: whether an error is raised, the value that is returned or raised, and the message; ``None`` for words
    that are no value ("the last one").
    """
    verb = re.sub(r"\s+", " ", (parts["verb"] or "").lower())
    raises = verb in ("raise", "throw")
    value = (parts["value"] or "").strip()
    if verb in ("exit early", "return early") or (
        verb == "return" and value.lower() in ("early", "nothing")
    ):
        return (False, "", "") if value.lower() in ("", "early", "nothing") else None
    if verb == "do":
        return (False, "", "") if value.lower() == "nothing" else None
    if empty := re.fullmatch(r"an? empty (\w+)", value, re.IGNORECASE):
        value = _EMPTY[empty[1].lower()]
    value = re.sub(r"^(?:an? )?(?:new )?(?=[A-Z])", "", value)
    value = value[1:-1] if re.fullmatch(r"`[^`]*`", value) else value
    if not value or value.lower() in FUNCTION_WORDS:
        return None
    message = (parts["message"] or "")[1:-1]
    if message and not raises:
        return None
    return raises, value, message


def _condition(words: str) -> tuple[str, str] | None:
    """The subject of a condition, empty for a word such as "the list", and its test; ``None`` if it is none of the known."""
    words = words.strip()
    for kind, pattern in _CONDITIONS:
        found = pattern.fullmatch(words)
        if found is None:
            continue
        parts = found.groupdict()
        if kind == "code":
            return _compared(parts)
        subject = next(
            x for x in (parts.get("subject"), parts.get("subject2"), parts.get("subject3")) if x
        )
        has_article = re.match(r"(?:the|an?|its) ", subject, re.IGNORECASE)
        subject = re.sub(r"^(?:the|an?|its) ", "", subject, flags=re.IGNORECASE)
        subject = re.sub(r" (?:argument|parameter|param|list|array|string)$", "", subject).strip(
            "`'\""
        )
        if subject.lower() in FUNCTION_WORDS:
            return None
        subject = f"the {subject}" if has_article else subject
        if kind == "empty":
            return subject, "empty"
        if kind == "word":
            return subject, _WORDS[parts["word"].lower()]
        if kind == "than":
            sign, number = _SIGNS[parts["than"].lower()], (parts["number"] or "").strip("`")
            if number in ("empty", "None", "null", "nil", "undefined", "set", "given", "valid"):
                return None
            return subject, f"{sign} {number}"
        if kind == "is":
            return subject, f"== {parts['number']}"
        null = (parts["null"] or "").lower()
        return subject, "null or undefined" if " or " in null else null
    return None


def _compared(parts: dict[str, str | None]) -> tuple[str, str] | None:
    """The subject of a comparison in code, and the rest of it; ``None`` for a word alone."""
    left = parts["left"] or ""
    if parts["sign"]:
        return (
            (left, f"{parts['sign']} {parts['right']}")
            if not left.startswith(("not ", "!"))
            else None
        )
    if left.startswith(("not ", "!")):
        return re.sub(r"^(?:not |!)", "", left), "false"
    return None


ADD_GUARD = Guess(
    "add-guard",
    reads=_guarded,
    examples=(
        (
            "mean should return 0 if the list is empty",
            AddGuard("mean", "0", "the list", "empty", condition="the list is empty"),
        ),
        (
            "in mean, return 0.0 when values is empty",
            AddGuard("mean", "0.0", "values", "empty", condition="values is empty"),
        ),
        (
            "make mean return 0 for an empty list",
            AddGuard("mean", "0", "the list", "empty", condition="the list is empty"),
        ),
        (
            "return None from load if path is None",
            AddGuard("load", "None", "path", "none", condition="path is None"),
        ),
        (
            "raise ValueError in draw if n < 0",
            AddGuard("draw", "ValueError", "n", "< 0", raises=True, condition="n < 0"),
        ),
        (
            'draw should raise a ValueError with message "too few" if count is less than 3',
            AddGuard(
                "draw",
                "ValueError",
                "count",
                "< 3",
                raises=True,
                message="too few",
                condition="count is less than 3",
            ),
        ),
        (
            "if items is empty, total should return an empty list",
            AddGuard("total", "[]", "items", "empty", condition="items is empty"),
        ),
        (
            "draw: return early if not points",
            AddGuard("draw", "", "points", "false", condition="not points"),
        ),
    ),
    near_misses=(
        "mean should return the last value if the list is empty",
        "return 0 from mean if something goes wrong",
        "mean should return 0 on ValueError",
        "log the path if it is empty",
    ),
    reads_all_words=True,
)
"""A condition at the top of a function."""
