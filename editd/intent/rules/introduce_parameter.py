"""Introduce a parameter: how people ask for it with any default, and that it be used or passed on."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED
from editd.intent.intents import IntroduceParameter
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.slots import UnreadText

_KIND = r"(?:keyword |named |optional )?(?:parameters?|arguments?|params?|args?|kwargs?|option|flag|switch|keyword)"
_VALUE = rf"(?:{QUOTED}|\[\]|\{{\}}|\(\)|-?(?:\.\d|[^\s,;.:()\"'`])[^\s,;:()\"'`]*(?<!\.)(?:\(\))?)"
_NAME = r"[`'\"]?(?P<name>[^\W\d][\w$]*)[`'\"]?"
_WITH_DEFAULT = re.compile(
    rf"(?<![\w.])`?(?P<name>[^\W\d][\w$]*)(?: ?: (?P<hint>[^\W\d][\w.]*(?:\[[^=]*\])?))? ?= ?(?P<default>{_VALUE})(?:`(?!\w))?"
)
_DEFAULT = re.compile(
    rf"\(?\b(?:(?:and|with|which|that|whose|has|using|having|of|in) )*(?:(?:an?|its|the|as) )?default(?:s|ed|ing)?(?: value)?"
    rf"(?: should be| of| to| is| being| =|:)* (?P<default>{_VALUE})\)?"
    rf"|,? ?(?:with|using) (?P<default2>{_VALUE}) as (?:an? |the |its )?default(?: value)?"
    rf"|,? \(?(?:(?:which|that) is |is )?(?P<default3>{_VALUE}) (?:by|as) (?:the )?default\)?"
    rf"|\((?P<default4>{_VALUE})\)$",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(rf"\boptional(?= .*\b{_KIND}\b)", re.IGNORECASE)
# The calls are not to be changed, nor is it to be used: what goes without words.
_ALONE = re.compile(
    r"[,;]? ?\(?\b(?:only|just) (?:in )?the signature(?:[,;] (?:the rest is mine|i(?:'ll| will) do the rest|nothing else))?\)?$"
    r"|[,;]? ?\(?\b(?:don't|do not|without) us(?:e|ing) it(?: yet| anywhere| for now)*\)?$|[,;]? ?\(?\b(?:it is |it's )?not used(?: yet)?\)?$",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    parameter parameters argument arguments param params arg args kwarg kwargs option flag switch keyword named called
    new optional extra additional further another boolean bool integer int string str float numeric number last final end
    take takes taking accept accepts accepting receive receives expose exposes support supports allow allows extend
    append create provide give gives second third fourth fifth configurable by
    """
)
_PARAMETER = r"(?:parameter|argument|param|arg|kwarg|option|flag|switch)"
_NAMED_AFTER = re.compile(
    rf"\b{_PARAMETER}s?,? (?:called |named )?"
    rf"(?!(?:to|for|of|in|on|with|and|that|which|at|is|into|as|it)\b|default){_NAME}(?= |$|,)",
    re.IGNORECASE,
)
_NAMED_BEFORE = re.compile(
    rf"(?<![\w.])(?!(?:{'|'.join(sorted(_KNOWN))}|an?|the|its?|one|more|another) ){_NAME} (?:keyword )?{_PARAMETER}\b",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(rf"\b(?:{_KIND}|takes?|accepts?|expects?|configurable)\b", re.IGNORECASE)
_POSITION = re.compile(
    r"\b(?P<position>second|third|fourth|fifth|2nd|3rd|4th|5th)(?: and last)?(?= |$)", re.IGNORECASE
)
_POSITIONS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}  # fmt: skip
_PASSED = re.compile(
    r"[,;]? ?(?:(?:and|then|to be|is|gets?|it|which|that|should be|so|we) )*"
    r"(?:pass|forward|hand|give|send|go|propagate|thread|plumb|feed|relay)(?:s|ed|es|ing|n|d)?(?: (?:it|that|this|the value))?(?: (?:on|along|through|down|over|straight))*"
    r" (?:in)?to (?:the )?(?:(?:inner|existing|underlying) )?(?:calls? (?:to|of) )?`?(?P<callee>[^\W\d][\w.]*\w)(?:\(\))?`?(?: call)?"
    r"(?:,? as (?:(?:an?|its|the) )?(?:`?(?P<key>[^\W\d]\w*) ?= ?(?P<value>\w+)`?|`?(?P<key2>[^\W\d]\w*)`?))?",
    re.IGNORECASE,
)
_HARD_CODED = (
    r"(?:(?:the|that|this|its|our) )?(?:(?:hard-?coded|magic|fixed|literal|existing|constant|current) )*"
    rf"(?:number|string|value|constant|literal|text|default|one|limit|{_VALUE})"
)
_USED = re.compile(
    r"[,;]? ?(?:(?:and|then|to be|is|it|which|that|should be|so) )*"
    r"(?:(?:used|using|use|(?:multiply|multiplied|divided?|put|apply|applied|compared?|check|checked)(?= (?:it|by|with|to|against) ))(?: (?:it|that|this|by|with|to|against|there))*"
    rf"(?: (?:instead|in (?:the )?place) of {_HARD_CODED}(?: there)?| (?:instead|rather) than {_HARD_CODED}|,? not {_HARD_CODED})?"
    r"(?: there| inside)?(?: instead(?! of\b))?(?: (?:when|while) \w+ing (?:the |an? |its )?\w+)?"
    r"(?: (?:in|for|as|with|at|inside) (?:the )?(?P<where>(?!place\b)[\w.]+(?: [\w.]+)?(?:\(\))?))?(?: instead(?! of\b))?"
    rf"(?: (?:instead|in (?:the )?place) of {_HARD_CODED})?"
    rf"|replac(?:e|es|ing) {_HARD_CODED}(?: (?:with|by) (?:it|that))?"
    rf"|(?:instead|in (?:the )?place) of {_HARD_CODED})",
    re.IGNORECASE,
)
_TURNED = re.compile(
    rf"^(?:turn|make|extract|pull|move|convert|change|parametri[sz]e|parameteri[sz]e|promote|lift)(?: out)? (?:the )?(?:(?:hard-?coded|magic|fixed|literal) )*"
    rf"(?:(?:number|string|constant|literal|value|text) )?(?P<value>{_VALUE})(?= |,)(?P<rest>.*?)"
    rf",? (?:(?:in)?to|out|as|by|with|a|an|into)(?: (?:to|into|an?|the|new|optional|its))* {_KIND} (?:called |named )?{_NAME}"
    r"(?:,? (?:with|using|keeping|keep) (?:it|that|this|the (?:same|current|old)(?: value)?|the number) as (?:the |its )?default)?",
    re.IGNORECASE,
)
_EVERYWHERE = frozenset(
    """0 1 -1 0.0 1.0 "" '' True False None true false null [] {}""".split()  # noqa: SIM905
)
_ANYWHERE = frozenset(["body", "function", "there", "it", "place"])


def _introduced(text: str) -> IntroduceParameter | None:
    """The intent of a request for a parameter with a default, with its type and place if they are said, whether it is
    to be used, where, and by which call.

    ``None`` for another request, without the names of a function and a parameter, or if other words are left; if
    another name is to be passed; and if a default that stands everywhere (``0``, ``None``) is to be used without a word
    on where.
    """
    unread = UnreadText(text)
    is_alone = unread.take(_ALONE) is not None
    turned = unread.take(_TURNED)
    if turned is not None:
        unread.text = f"{turned['rest']} {unread.text}"
        name, default, hint = turned["name"], turned["value"], ""
    else:
        named = _name_and_default(unread)
        if named is None:
            return None
        name, default, hint = named
    passed, used = unread.take(_PASSED), unread.take(_USED)
    position = unread.take(_POSITION)
    function = unread.take_function(_KNOWN)
    name = name or unread.take_only_word(_KNOWN)
    where = ((used and used["where"]) or "").strip()
    if not function or not name or function == name or not unread.says_only(_KNOWN):
        return None
    if passed and {passed["key"] or passed["key2"] or name, passed["value"] or name} != {name}:
        return None
    is_used = used is not None or turned is not None
    if is_alone and (is_used or passed):
        return None
    if is_used and (not where or where in _ANYWHERE) and default in _EVERYWHERE:
        return None  # not each 0 is meant
    return IntroduceParameter(
        function,
        name,
        default[1:-1] if default[0] == "`" else default,
        passed["callee"] if passed else "",
        is_used,
        "" if where in _ANYWHERE else where,
        hint,
        _POSITIONS[position["position"].lower()] if position else 0,
    )


def _name_and_default(unread: UnreadText) -> tuple[str, str, str] | None:
    """Take the words for the parameter and its default out of ``unread``, and return its name, default and type, name
    and type empty if they are not said in plain words. The default of a parameter that is only said to be optional is
    ``None`` in Python.

    ``None`` if no default is said, or nothing about a parameter; some words may be taken then, too.
    """
    if assigned := unread.take(_WITH_DEFAULT):
        return assigned["name"], assigned["default"], assigned["hint"] or ""
    stated = unread.take(_DEFAULT)
    default = next(filter(None, stated.groups()), "") if stated else ""
    if not default and unread.take(_OPTIONAL):
        default = "None"
    named = unread.take(_NAMED_AFTER) or unread.take(_NAMED_BEFORE)
    if not default or (named is None and not _SAYS_SO.search(unread.text)):
        return None
    return named["name"] if named else "", default, ""


INTRODUCE_PARAMETER = Guess(
    "introduce-parameter",
    reads=_introduced,
    examples=(
        ("add dry_run=False to run", IntroduceParameter("run", "dry_run", "False")),
        ('add a parameter device="cpu" to train', IntroduceParameter("train", "device", '"cpu"')),
        (
            "add min_count=0 as a parameter to report",
            IntroduceParameter("report", "min_count", "0"),
        ),
        ("add a ttl=None param to put", IntroduceParameter("put", "ttl", "None")),
        (
            "add delay=0.5 to send_all and use it for the sleep",
            IntroduceParameter("send_all", "delay", "0.5", is_used=True, where="sleep"),
        ),
        (
            "give fetch a timeout=10 argument and pass it on to requests.get",
            IntroduceParameter("fetch", "timeout", "10", "requests.get"),
        ),
        (
            'let get_db take a parameter path="a.db" and use it in connect',
            IntroduceParameter("get_db", "path", '"a.db"', is_used=True, where="connect"),
        ),
        (
            "scan needs a second argument depth defaulting to 8, used in place of the hard-coded number",
            IntroduceParameter("scan", "depth", "8", is_used=True, position=2),
        ),
        (
            "new param timeout=10 for dial, goes to net.connect as timeout=timeout",
            IntroduceParameter("dial", "timeout", "10", "net.connect"),
        ),
        (
            "in render: optional argument width with WIDTH as default, use it instead of the constant",
            IntroduceParameter("render", "width", "WIDTH", is_used=True),
        ),
        (
            "turn the hard-coded 8 in scan into a parameter depth",
            IntroduceParameter("scan", "depth", "8", is_used=True),
        ),
        ("scan gets an optional parameter root", IntroduceParameter("scan", "root", "None")),
        (
            'add a lang parameter to scan, default "en" (only the signature, the rest is mine)',
            IntroduceParameter("scan", "lang", '"en"'),
        ),
        (
            "scan: new optional argument digits=3, to be used in the round call instead of the fixed 3",
            IntroduceParameter("scan", "digits", "3", is_used=True, where="round call"),
        ),
        (
            'let save take an encoding, default "utf-8", and use it when opening the file',
            IntroduceParameter("save", "encoding", '"utf-8"', is_used=True),
        ),
        (
            "add `limit: int = 5` to scan",
            IntroduceParameter("scan", "limit", "5", hint="int"),
        ),
    ),
    near_misses=(
        "add discount=0 to total and use it",
        "add a parameter to run",
        "add a parameter verbose to run",
        "add retries to run",
        "add a parameter n=3 to run, but only if debug is on",
        "add a parameter n=3 to run and validate it",
        "add n=3 as the first parameter of run",
    ),
    reads_all_words=True,
)
"""A parameter with a default of any kind."""
