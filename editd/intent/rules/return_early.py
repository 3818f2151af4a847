"""Return early: how people ask that a function's last if be turned around."""

from __future__ import annotations

import re

from editd.intent.intents import ReturnEarly
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION
from editd.intent.slots import UnreadText

_EARLY = "(an?|some|the)? (early returns?|early-returns?|guard clauses?|guard-clauses?|early exits?|early-exits?|return-early style)"


_TURN = "(invert|negate|flip|reverse|turn around|turn round)"
_THE_IF = "(the)? (last|trailing|only|outer|outermost|nested|big)? (if|if condition|if statement|if block|if check|condition|check)"
_RETURNING = f"((and|to|so|so that|so it|, so it|, so that it)? (return|returns|exit|exits|leave|leaves|bail out) early|and use {_EARLY})?"
# What is said of a value that a condition asks for.
_SAID_OF_VALUES = re.compile(
    r"(?:^(?:if|not|no|the) )|(?: (?:is|are|was|isn't|is not|not|empty|falsy|missing|unset|set|none|null|nil|undefined|false|there|given))+$",
    re.IGNORECASE,
)


def _turned(slots: Slots, *, in_loop: bool = False) -> ReturnEarly:
    """The intent ``ReturnEarly`` with the function, the condition and the value that the slots name, each empty if it
    is not named. in_loop: a loop's last ``if`` is meant.
    """
    test = _SAID_OF_VALUES.sub("", _SAID_OF_VALUES.sub("", slots.get("test", "")))
    value = slots.get("value", "")
    return ReturnEarly(slots.get("name", "").removesuffix("()"), test, value, in_loop=in_loop)


RETURN_EARLY = Rule(
    "early-return",
    paraphrases=(
        f"(use|add|put|i want|write|introduce|have|insert|prefer|make) {_EARLY} (in|into|to|for|inside) {FUNCTION} (instead of ANYTHING)?",
        f"(use|add|i want|prefer|introduce) {_EARLY} (here)? (instead of (the)? (nested|nesting|deep)? (if|ifs|nesting|else))?",
        f"{_EARLY} (in|for) {FUNCTION}",
        f"return early (in|from) {FUNCTION} (instead of ANYTHING)?",
        "return early (here)? (instead of nesting)?",
        f"{_TURN} {_THE_IF} (in|of) {FUNCTION} {_RETURNING}",
        f"(make|let|have) {FUNCTION} (return early|use {_EARLY})",
        f"{FUNCTION} (should|must|could) (return early|use {_EARLY})",
        f"{_TURN} {_THE_IF} {_RETURNING}",
        f"{_TURN} (the)? TEST (if|check|condition|test) {_RETURNING}",
        f"{_TURN} (the)? (if|check|condition|test)? (for|on|of)? TESTQUOTED {_RETURNING}",
        "(check|handle|test) (for)? (the)? TEST (case)? first and return (early)?",
        "return VALUE early (when|if|for) TEST",
    ),
    intent=_turned,
    takes_location=True,
    is_of_one=True,
    examples=(
        ("use an early return in f", ReturnEarly("f")),
        ("could you make load() return early?", ReturnEarly("load")),
        ("return early", ReturnEarly()),
        (
            "in main, flip the isdir check and return early",
            ReturnEarly(test="isdir", location="main"),
        ),
        ("add_tag: invert `if t`", ReturnEarly(test="t", location="add_tag")),
        (
            "pct: return '-' early when whole is empty",
            ReturnEarly(test="whole", value="-", location="pct"),
        ),
    ),
    near_misses=(
        "return early if x is None",
        "return early if the user is too young to drive or vote",
    ),
)
FLATTEN = Rule(
    "early-return",
    paraphrases=(
        "(flatten|reduce|remove|avoid|un-nest|unnest|get rid of) (the)? (nesting|nested if|nested ifs|if nesting) ((with|by|using) LEAD)?",
    ),
    intent=lambda _: ReturnEarly(is_nested=True),
    takes_location=True,
    is_of_one=True,
    examples=(("in main, reduce the nesting", ReturnEarly(is_nested=True, location="main")),),
)
"""Of nested ones."""
CONTINUE_EARLY = Rule(
    "early-return",
    paraphrases=(
        "(use|add|put) (a|an)? (early)? continue (in (the)? (for|while)? loop)? (instead of (the)? (nested|nesting|indented)? (if|ifs|nesting))?",
        f"{_TURN} {_THE_IF} (in (the)? (for|while)? loop)? (and|to)? (use)? (a)? continue (early|instead)?",
        f"{_TURN} {_THE_IF} (in|of|inside) (the)? (for|while)? loop",
        "continue early ((when|if) TEST)?",
    ),
    intent=lambda slots: _turned(slots, in_loop=True),
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            "use continue instead of the nested if in send_all",
            ReturnEarly(in_loop=True, location="send_all"),
        ),
    ),
)
"""In a loop."""
_EARLY_WORDS = re.compile(
    r"(?:\b(?:an?|the|some|with|via|by|using|use|more) )*(?:\b(?:early|immediate)[- ](?:returns?|exits?|continues?)\b|\bguard(?:s| clauses?| statements?)?\b|`?\bcontinue\b`?(?:[- ](?:guards?|early|statements?|instead))*"
    r"|\b(?:return|exit|bail out|leave|returning|exiting)(?:s|ing)?[- ](?:early|right away|immediately|first)\b|\breturn-early\b|\bearly\b)",
    re.IGNORECASE,
)
_IN_LOOP = re.compile(r"\bcontinue\b|\b(?:in|of|inside) the (?:for |while )?loop\b", re.IGNORECASE)
_NESTED = re.compile(
    r"(?:\b(?:the|those|these|both|two|three|all|its|of|a|an|deep|deeply|so much|that|any) )*(?:\bnested (?:ifs?|conditions?|conditionals?|if statements?|if blocks?|blocks?|checks?)\b|\bnest(?:ing|ed)\b(?: of ifs| ifs)?|\bif (?:in|inside|within) an? if\b"
    r"|\bifs? inside (?:each other|ifs?)\b|\bpyramid(?: of (?:ifs|doom))?\b|\barrow code\b|\b(?:two|three|all) (?:ifs|levels of (?:nesting|ifs))\b|\bindented ifs?\b)",
    re.IGNORECASE,
)
_FLAT = re.compile(
    r"[,;]? ?(?:\b(?:and|then|so|so that|that|we|it|there|is|are|has|have|with|to|save|saves|the rest|of it) )*(?:\b(?:no|less|without|one level less|one level|a level)(?: (?:more|further|of))? (?:nesting|nested \w+|indentation|else|of nesting|of indentation)\b"
    r"|\b(?:un-?nest|unindent|outdent|dedent|flatten) the rest\b|\bthe rest (?:is |goes |can be |gets |comes )?(?:flat|unindented|outdented|dedented|after it|below|one level up|un-?nested)\b|\b(?:drop|lose|remove|get rid of) the else\b|\bno else\b(?: any ?more| any longer)?"
    r"|\bthe (?:rest|\w+) (?:needn't|need not|doesn't have to|does not have to|doesn't need to|need no longer) be (?:indented|nested|inside)(?: (?:any ?more|any longer|then))?\b"
    r"|\b(?:no|without the) need to (?:nest|indent)(?: the rest)?\b|\b(?:comes?|goes|follows) (?:after|below|behind)(?: (?:it|that))?, (?:unindented|outdented|dedented|flat|unnested)\b"
    r"|\b(?:instead of|rather than) (?:wrapping|nesting|putting|indenting|having) (?:everything|all|the rest|the whole body|it all|the body)(?: (?:in|inside|into|under) (?:an?|the|one|its)(?: big)? if)?\b)(?: needed)?",
    re.IGNORECASE,
)
_TURN_WORDS = re.compile(
    r"\b(?:invert|flip|negate|reverse|turn around|turn round|swap|flatten|un-?nest|reduce|remove|get rid of|avoid|replace|rewrite|restructure|simplify|refactor|convert|turn)\b",
    re.IGNORECASE,
)
_UN_NEST = re.compile(r"\bun-?nest\b", re.IGNORECASE)
_LEFT_EARLY = re.compile(
    r"\b(?:return|exit|bail out|leave|out)(?: early| first)?(?P<place> (?:from|in|of) `?(?P<name>(?!the\b|a\b)[^\W\d][\w.]*)(?:\(\))?`?)(?=(?: early| first)? (?:if|when|for)\b)",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"\b(?:invert|flip|negate|reverse|turn around|turn round|turn(?= [\w ]+ around\b)) (?:the |its )?(?:(?:last|trailing|only|outer|outermost|big|whole) )?(?:(?P<test>[\w.`]+(?: [\w.`]+)?) )?(?:if|check|condition|test)(?:[- ](?:statement|block|condition))?(?: around)?\b",
    re.IGNORECASE,
)
_AT_ONCE = r"(?:early|first|right away|right there|straight away|immediately|at once|at the (?:very )?(?:top|start|beginning))"
_TEXT = r"\"[^\"]*\"|'[^']*'"
_RETURN_IF = re.compile(
    rf"\b(?:return|exit|leave|bail out)(?: (?:with )?(?P<value>{_TEXT}|[^\s,;]+?|an empty \w+))??(?: {_AT_ONCE})+ (?:if|when|for|on) (?P<test>[^,;\x1f]+)"
    rf"|\b(?:if|when) (?P<test2>[^,;\x1f]+?),? (?:just )?(?:return|exit|leave|bail out)(?: (?:with )?(?P<value2>{_TEXT}|[^\s,;]+))??(?: {_AT_ONCE})+"
    rf"|\b(?:handle|check(?: for)?|test(?: for)?|deal with|treat|do|take care of) (?:the |an? )?(?P<test3>[^,;\x1f]+?)(?: case)? (?:first|up front|early|at the top)(?:,? and (?:return|leave|exit|bail out)(?: early| right away| (?P<value3>{_TEXT}|[^\s,;]+))?(?: {_AT_ONCE})?)?",
    re.IGNORECASE,
)
# What is said to be returned first, where the words ask that an "if" be turned around.
_RETURNED_FIRST = re.compile(
    rf"[,:;]? ?\b(?:(?:so|and|that|then) )*(?:the |an? )?(?P<what>[a-z]+(?: [a-z]+)?) (?:is|are|gets?|get) returned {_AT_ONCE}"
    r"(?:(?: and|,) (?:the )?\w+(?= (?:comes?|goes|follows) ))?",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    use early returns return guard clauses instead rather than over not prefer convert turn if ifs else check checks condition
    conditions code body last nested rest then early first away right out bail exit continue loop for while flat flatter style
    no more two both so statement statements deep readable around round by
    """
)


def _early(text: str) -> ReturnEarly | None:
    """The intent of a request for early returns in a function, of one ``if`` or of nested ones, perhaps with the old
    condition, the new one and the value returned; ``None`` for another request, without the name of a function, or if
    words are left that are not known.
    """
    location = ""
    if left := _LEFT_EARLY.search(text):
        location = left["name"]
        text = f"{text[: left.start('place')]}{text[left.end('place') :]}"
    unread = UnreadText(text)
    in_loop = _IN_LOOP.search(text) is not None
    first = unread.take(_RETURNED_FIRST) if _INVERTED.search(text) else None
    flat = bool(unread.take_all(_FLAT))
    inverted = unread.take(_INVERTED)
    tested = unread.take(_RETURN_IF)
    is_nested = unread.take(_NESTED) is not None or _UN_NEST.search(text) is not None
    is_early = bool(unread.take_all(_EARLY_WORDS))
    is_turned = _TURN_WORDS.search(text) is not None
    if not (tested or inverted or is_early or (is_nested and is_turned)):
        return None
    location = location or unread.take_function(_KNOWN)
    unread.take_all(_TURN_WORDS)
    parts = tested.groupdict() if tested else {}
    guard = next((x for key, x in parts.items() if key.startswith("test") and x), "")
    value = next((x for key, x in parts.items() if key.startswith("value") and x), "")
    if (
        guard
        and not location
        and (ended := re.fullmatch(r"(.+) (?:in|from) `?([\w.]+)`?(?:\(\))?", guard))
    ):
        guard, location = ended.groups()
    test = ((inverted and inverted["test"]) or "").strip("`")
    if not location or not unread.says_only(_KNOWN):
        return None
    return ReturnEarly(
        test="" if test in _KNOWN else test,
        value=value.strip("`"),
        in_loop=in_loop,
        is_nested=is_nested and not tested and not inverted and not (flat and not is_nested),
        guard=guard.strip(),
        is_turned=inverted is not None and bool(guard) and bool(value),
        returned=first["what"] if first else "",
        location=location,
    )


EARLY_RETURNS = Guess(
    "early-return",
    reads=_early,
    examples=(
        (
            "parse: return None early if there's no match",
            ReturnEarly(value="None", guard="there's no match", location="parse"),
        ),
        (
            "flatten the nested ifs in create with a guard clause",
            ReturnEarly(is_nested=True, location="create"),
        ),
        (
            "User.promote has an if in an if, use early returns",
            ReturnEarly(is_nested=True, location="User.promote"),
        ),
        (
            "in percent, handle whole === 0 first and return, then no more nesting",
            ReturnEarly(guard="whole === 0", location="percent"),
        ),
        (
            "use `continue` guards rather than the two nested ifs in remind",
            ReturnEarly(in_loop=True, is_nested=True, location="remind"),
        ),
        (
            "in label, deal with a missing user first and return '' right there, the rest needn't be nested",
            ReturnEarly(value="''", guard="missing user", location="label"),
        ),
        (
            "help: flip the check so that the usage text is returned first, no else any more",
            ReturnEarly(returned="usage text", location="help"),
        ),
    ),
    near_misses=(
        "return None in parse",
        "use early returns",
        "flatten the list in load",
        "return early in load, but log it",
    ),
    reads_all_words=True,
)
"""Of nested ones, or by what has to hold."""
