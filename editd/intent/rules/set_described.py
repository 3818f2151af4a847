"""Set a described value: how people name a literal by whatever words stand around it, in any order, with its new value.

Each word has to be used: it is the new value, the old one, a name that the buffer has there, or says nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from editd.intent import lexicon
from editd.intent.english import (
    ARTICLES,
    NUMBER,
    QUOTED,
    EnglishToken,
    cut_quotes,
    is_code_like,
    tokens_of,
)
from editd.intent.intents import Intent, SetDescribed, Several
from editd.intent.lexicon import words_of
from editd.intent.restrictions import excepts
from editd.intent.rules.guess import Guess

_BY_DEFAULT = re.compile(
    r",? (?:by default|(?:unless|if not) (?:(?:told|asked|specified|given|set|said|stated)(?: otherwise)?|otherwise)"
    r"|(?:if|when) (?:nothing|none) (?:else )?is (?:given|said|passed|specified)|(?:if|when) not (?:given|specified|passed))\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"\bdefault(?:s|ing)?(?: value)?(?: to)?\b", re.IGNORECASE)
_TERM = rf"(?:{QUOTED}|[^\s,;()\"'`]+)"
_WAS = re.compile(
    rf"[,(]* ?\b(?P<joint>instead of|rather than|in place of|and not|not|was|used to be|from|over(?! to)|is currently|currently)(?: the)? (?P<was>{_TERM})\)?(?=[\s,.;)]|$)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:should(?:n't| not)|must(?:n't| not)|don't|do not|does(?:n't| not)|need(?:n't| not)|not|never) (?:be |to be |have to be |need to be )?|\bnon-(?=\w)",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:should|must|shall|has to|needs to|ought to) be (?P<state>[a-z]+)$", re.IGNORECASE
)
_ASSIGNED = re.compile(
    rf"(?<=[\w\])]) ?= ?(?={_TERM})|(?<=[\w\])]) ?: (?={_TERM})|(?<=\w) ?(?:->|=>|→|:=) ?(?=\S)"
)
_ASSIGNMENT = re.compile(rf"(?:set |and )?[\w.-]+ ?(?:=|: |->|to ) ?{_TERM}")
_COMMAND = re.compile(
    r"(?:(?:set|make|change|let) )?(?:the )?(?P<name>[\w.-]+(?: [\w.-]+)?) (?:script|command) ?(?:to|should be|be|:|->|=|is) ?[\"'`]?(?P<new>[^\s\"'`]+(?: [^\s\"'`]+)+)[\"'`]?",
    re.IGNORECASE,
)
"""A script or command in several words."""
_CALLED = re.compile(rf"(?P<name>[\w.]+)\((?P<inside>(?:\w+ ?= ?)?{_TERM})\)")
_UNITS = {
    **dict.fromkeys(("ms", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hour", "hours"), "h"),
    **dict.fromkeys(("day", "days"), "d"),
}
_SWITCHES = {
    **dict.fromkeys(("on", "enable", "enabled", "activate", "activated", "true", "yes"), "true"),
    **dict.fromkeys(
        ("off", "disable", "disabled", "deactivate", "deactivated", "false", "no"), "false"
    ),
}
_LITERAL = re.compile(
    rf"(?:{NUMBER.pattern})(?:px|em|rem|vh|vw|%|s|ms|m|h|d|kb|mb|gb)?|[<>=~^]+ ?v?\d\S*|v?\d+(?:\.\d+)+\S*|\w+://\S+|[\w./-]+:[\w.-]*\d[\w.-]*"
    r"|True|False|None|true|false|null|nil|[~.]?(?:/[\w.-]+)+/?|#[0-9a-fA-F]{3,8}|\.\w{1,4}",
    re.IGNORECASE,
)
_OPTIONAL = words_of(
    """
        say says hold
        value values setting settings option key entry field property attribute flag variable constant parameter param argument
        arg number text message string literal label title caption wording error exception output content contents name policy
        level size count limit amount length kind type mode style returned
        raise lower increase decrease reduce bump adjust double halve triple point switch turn convert configure pick choose
        launch spawn create run runs read reads return returns send sends print prints fetch fetches keep keeps show shows wait
        waits retry retries listen listens bind binds start starts save saves load loads write writes take takes accept accepts
        connect connects default defaults log logs upgrade downgrade allow serve page call calls split splits join joins
    """
)
"""Words that may be a name and need not be."""
_SAYS_NOTHING = (
    lexicon.SAYS_NOTHING
    | (lexicon.CHANGE - words_of("say says read reads show shows keep hold number"))
    | words_of(
        """
        set put give new old current now always up down over than only's about enough instead rather still already please use
        uses using used should must via become becomes equal equals
        """
    )
) - words_of("file code script project class start top bit sure")
_NEVER = words_of(
    """
    if when while until unless except but because since so then only whenever wherever whether either neither nor every each
    all rename delete remove add insert comment uncomment sort wrap document annotate refactor
    """
)
SIGNS = {
    "comma": ",", "semicolon": ";", "colon": ":", "tab": "\\t", "space": " ", "pipe": "|", "dot": ".", "dash": "-", "hyphen": "-",
    "underscore": "_", "slash": "/",
}  # fmt: skip
_HIDDEN = "\ue000"
_MOST_WORDS = 12
_TOO_SMALL = re.compile(
    r" (?:is|are|was|looks|seems) (?:way |much |far |a bit )?too \w+,? (?:(?:please|so|better|rather|make it|make that|set it to|use|let's use|take) )*",
    re.IGNORECASE,
)
_SAID_OF_OLD = words_of("to should must has needs is by with ought shall can could")
_LED = re.compile(r"(?:\b(?:to|be|as|at|is|becomes|say|read)|=) \S+$")
_COMPARING = words_of(
    "better more less too very so as of for in from on under another other different"
)


# "log log.info(…)": a call that is to be written, not a value that is to be set.
_WRITES_CALL = re.compile(r"\b(?:log|put|insert|write|add):? [\w.]+\(", re.IGNORECASE)
_GOES = re.compile(r"\b(?:goes|(?:can|must|should|may) go)[.!]*$", re.IGNORECASE)


def _described(text: str) -> Intent | None:
    """The intent of a request that names a value by words around it and says what it becomes; ``Several`` of a list of
    assignments.

    ``None`` for another request, a call that is to be written, an exception, a word that makes it a condition or another kind of edit, "and" outside
    of such a list, several new values, or more than twelve words that may be names.
    """
    if _WRITES_CALL.search(text) or _GOES.search(text):
        return None
    parts = re.split(r",? and |, ", text)
    if len(parts) > 1 and all(map(_ASSIGNMENT.fullmatch, parts)):
        each = [intent for part in parts if (intent := _described(part)) is not None]
        return Several(tuple(each)) if len(each) == len(parts) else None
    if found := _COMMAND.fullmatch(text):
        words = tuple(re.findall(r"[\w.-]+", found["name"]))
        return SetDescribed(words, found["new"], is_quoted=True)
    quoted: list[str] = []

    def hide(at: re.Match[str]) -> str:
        quoted.append(at[0][1:-1])
        return f"{at[0][0]}{_HIDDEN}{len(quoted) - 1}{at[0][-1]}"

    def shown(written: str) -> str:
        return re.sub(rf"{_HIDDEN}(\d+)", lambda at: quoted[int(at[1])], written)

    # What stands in quotes is no word of the request.
    text = re.sub(QUOTED, hide, re.sub(r" (?:for|in|of) this (?:one|file)$", "", text))
    plain, is_default, by_default = _without_default(text)
    plain = _CALLED.sub(lambda at: f"{at['name']} {at['inside']}", plain)
    plain, was = _without_old(_TOO_SMALL.sub(" = ", plain))
    state = ""
    if is_default and _NEGATED.search(plain):
        plain, state = _NEGATED.sub(" ", plain, count=1), "false"
    elif is_default and (found := _STATED.search(plain.rstrip())):
        state = "" if _LITERAL.fullmatch(found["state"]) else "true"
    plain = _ASSIGNED.sub(" = ", plain)
    terms = [
        replace(token, text=shown(token.text))
        for token in tokens_of(plain)
        if token.kind == "term" and token.text not in ("-", "–", "=")
    ]
    hidden = re.sub(r"[\w.]+-[\w-]+", " ", re.sub(QUOTED, " ", plain))
    bare = {token.word for token in terms}
    if excepts(hidden) or not _NEVER.isdisjoint(bare) or re.search(r"\band\b", hidden):
        return None
    intent = _with_value(terms, plain, shown(was), state, is_default=is_default)
    return intent and replace(intent, by_default=by_default)


def _without_old(plain: str) -> tuple[str, str]:
    """The request without the words for the value that it is said to have ("instead of 5", "from 5"), and that value
    without its quotes; the request itself and an empty value if none is said, or it is a bare word after "was", "from"
    and the like.
    """
    found = _WAS.search(plain)
    if found is None:
        return plain, ""
    was, mark = cut_quotes(found["was"])
    joint = found["joint"].lower()
    is_value = mark or _LITERAL.fullmatch(was) or is_code_like(was)
    if not (is_value or joint.startswith(("instead", "rather"))):
        return plain, ""
    rest = plain[found.end() :]
    return f"{plain[: found.start()]} {rest.removeprefix(' to') if joint == 'from' else rest}", was


def _without_default(text: str) -> tuple[str, bool, bool]:
    """The request without words for a default, whether it had some, and whether some of these were "by default" or the
    like.
    """
    plain = re.sub(r"^by default,? ", "", _BY_DEFAULT.sub("", text), flags=re.IGNORECASE)
    shorter = _DEFAULT.sub(" ", plain)
    return re.sub(r"\s+", " ", shorter).strip(), shorter != text, plain != text


def _with_value(
    terms: list[EnglishToken], plain: str, was: str, state: str, *, is_default: bool
) -> SetDescribed | None:
    """The intent of the words of a request, of which one is the new value: the state, else the only text in quotes,
    else the only literal (with a unit of time behind it), else a word such as "on", else the only name of a sign
    ("comma"); else the last word, if the words lead up to it (``is_bare``), but for a default, whose intent leaves it
    open. All other words that say something name the literal; those of little weight are optional.

    ``None`` if several may be the value, the quoted text is what is to change, the last word is a participle or means
    that something goes, no word is left, or more than twelve are.

    plain: the request, for what stands before its last word. was: the value that it is said to have; empty for none.
    state: a truth value that the words say without naming it; empty for none.
    """
    quoted = [at for at, token in enumerate(terms) if token.quoted]
    literal = [
        at for at, token in enumerate(terms) if not token.quoted and _LITERAL.fullmatch(token.text)
    ]
    switches = [at for at, token in enumerate(terms) if token.word in _SWITCHES]
    taken: list[int] = []
    new, is_quoted, unit = "", False, ""
    if state:
        new = state
    elif len(quoted) == 1 or (quoted and len({terms[at].text for at in quoted}) == 1):
        new, is_quoted, taken = terms[quoted[0]].text, terms[quoted[0]].quoted != "`", quoted
        after = terms[quoted[-1] + 1].word if quoted[-1] + 1 < len(terms) else ""
        if after in _SAID_OF_OLD:
            return None  # the quoted thing is to change
    elif quoted:
        return None
    elif literal and len({terms[at].text for at in literal}) == 1:
        new, taken = terms[literal[0]].text, literal
        after = terms[literal[0] + 1].word if literal[0] + 1 < len(terms) else ""
        if after in _UNITS and NUMBER.fullmatch(new):
            unit, taken = _UNITS[after], [*literal, literal[0] + 1]
        if new.lower() in _SWITCHES:
            taken = [*taken, *(at for at in switches if _SWITCHES[terms[at].word] == new.lower())]
    elif literal:
        return None
    elif switches:
        values = {_SWITCHES[terms[at].word] for at in switches}
        if len(values) > 1:
            return None
        new, taken = values.pop(), switches
    elif len(signs := [at for at, token in enumerate(terms) if token.word in SIGNS]) == 1:
        new, is_quoted, taken = SIGNS[terms[signs[0]].word], True, signs
    words: list[str] = []
    optional: list[str] = []
    rest = [at for at in range(len(terms)) if at not in taken]
    for at in rest:
        token = terms[at]
        text = re.sub(r"['’]s$|\(\)$", "", token.text)
        if token.word in _SAYS_NOTHING:
            continue
        (optional if token.word in _OPTIONAL or _is_apposition(terms, at) else words).append(text)
    is_bare = not (new or is_default)
    if is_bare:
        if (
            not words
            or len(terms) < 2
            or terms[-1].text != words[-1]
            or terms[-2].word in ARTICLES | _COMPARING
        ):
            return None
        is_participle = re.fullmatch(r"[a-z]{3,}ed", words[-1]) or words[-1] in lexicon.DELETE
        if is_participle or not (_LED.search(plain) or is_code_like(words[-1])):
            return None
        new = words.pop()
    if len(words) > _MOST_WORDS or not (words or optional):
        return None
    return SetDescribed(
        tuple(words),
        new,
        tuple(optional),
        was,
        unit,
        is_quoted=is_quoted,
        is_default=is_default,
        is_bare=is_bare,
    )


def _is_apposition(terms: list[EnglishToken], at: int) -> bool:
    """Whether a plain word stands before a name with ``_`` or in capitals and says what that is, as both in "the search
    radius max_km" do: the name is one of the next three words, and those between are plain ones in lower case.
    """
    for token in terms[at : at + 4]:
        if "_" in token.text or (len(token.text) > 1 and token.text.isupper()):
            return token is not terms[at]
        if not token.word.isalpha() or token.word in _SAYS_NOTHING or not token.text.islower():
            return False
    return False


_STATE = re.compile(
    r"(?P<names>.+?) (?:should|must|has to|needs to) (?P<denied>not )?be (?P<state>[a-z]+)",
    re.IGNORECASE,
)


def _state(text: str) -> SetDescribed | None:
    """The intent of "mypy should be strict" ("should not be strict"): true (false) for the switch that the one to three
    words before name together with the last one. ``None`` for another request, an exception, a last word that is a
    value ("on"), or more words.
    """
    found = _STATE.fullmatch(text)
    if found is None or found["state"] in _SWITCHES or excepts(text):
        return None
    names = [x for x in found["names"].split() if x.lower() not in _SAYS_NOTHING]
    is_plain = 0 < len(names) < 4 and all(re.fullmatch(r"[\w.-]+(?:\(\))?", x) for x in names)
    words = (*(x.removesuffix("()") for x in names), found["state"])
    return SetDescribed(words, str(not found["denied"]).lower()) if is_plain else None


SET_DESCRIBED = Guess(
    "set-described",
    reads=_described,
    examples=(
        (
            "db should use the postgres:16 image",
            SetDescribed(("db", "image"), "postgres:16"),
        ),
        (
            "change the port from 5000 to 8081 in app.run",
            SetDescribed(("port", "app.run"), "8081", (), "5000"),
        ),
        (
            "the ValueError message should say 'taken'",
            SetDescribed(("ValueError",), "taken", ("message", "say"), is_quoted=True),
        ),
        (
            'the usage message should be "usage: not x by default"',
            SetDescribed(("usage",), "usage: not x by default", ("message",), is_quoted=True),
        ),
        (
            "load() shouldn't be strict by default",
            SetDescribed(("load", "strict"), "false", is_default=True, by_default=True),
        ),
        (
            "please make TIMEOUT 30 seconds",
            SetDescribed(("TIMEOUT",), "30", unit="s"),
        ),
        (
            "start 4 workers unless told otherwise",
            SetDescribed(("workers",), "4", ("start",), is_default=True, by_default=True),
        ),
        (
            "money should use the fr locale by default",
            SetDescribed(("money", "fr", "locale"), "", is_default=True, by_default=True),
        ),
    ),
    near_misses=(
        "set TIMEOUT to 30 if DEBUG is on",
        "set TIMEOUT to 30 and RETRIES to 5",
        "make it 5 except in load",
    ),
)
"""A literal that the buffer has under these words."""
SET_STATE = Guess(
    "set-described",
    reads=_state,
    examples=(("mypy should be strict", SetDescribed(("mypy", "strict"), "true")),),
    near_misses=("timezone should be UTC if unset", "it should be faster"),
)
"""A truth value that the buffer has under these words."""
