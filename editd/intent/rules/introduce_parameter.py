"""Introduce a parameter: how people ask for it with any default, and that it be used or passed on."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED
from editd.intent.intents import IntroduceParameter
from editd.intent.rules.guess import Guess

_KIND = r"(?:keyword |named |optional )?(?:parameters?|arguments?|params?|args?|kwargs?|option|flag|keyword)"
_NEW = (
    r"(?:(?:new|optional|extra|additional|further|another|second|third|boolean|string|integer) )*"
)
_VALUE = rf"(?:{QUOTED}|\[\]|\{{\}}|\(\)|-?[^\s,;()\"'`]+(?:\(\))?)"
_DEFAULT = (
    rf"(?: ?= ?(?P<a>{_VALUE})|,? \(?(?:(?:with|using) )?(?:an? |the |its )?default(?:s|ing)?(?: value)?(?: of| is| =| to|:)? (?P<b>{_VALUE})\)?"
    rf"|,? (?:that|which) defaults to (?P<c>{_VALUE}))"
)
_NAME = r"[`'\"]?(?P<name>[^\W\d][\w$]*)[`'\"]?"
_FUNCTION = r"(?:the )?(?:(?:function|method|constructor) )?[`'\"]?(?P<function>[^\W\d][\w.]*)[`'\"]?(?:\(\))?(?: (?:function|method))?"
_TAIL = (
    r"(?:[,;]? (?:and |then )*(?:(?P<use>use (?:it|that)(?: there)?(?: instead)?(?: (?:in|for|as|with|at|inside) (?:the )?(?P<where>[\w. ]+?(?:\(\))?))?(?: instead)?(?: of .+)?)"
    r"|(?:pass|forward|hand|give|send) (?:it|that) (?:on |along |through |down )?to (?:the )?(?:calls? (?:to|of) )?(?P<callee>[\w.]+)(?:\(\))?(?: call)?))?"
)
_ADD = r"(?:add|introduce|append|insert|put|include|create|i want|we need|i need|new)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ADD} (?:an? |the )?{_NEW}(?:{_KIND} )?(?:called |named )?{_NAME}{_DEFAULT}(?: {_KIND})?(?: as (?:an? |the )?{_NEW}{_KIND})? (?:to|for|in|of) {_FUNCTION}{_TAIL}",
        rf"{_ADD} (?:an? |the )?{_NEW}{_NAME} {_KIND}{_DEFAULT} (?:to|for|in|of) {_FUNCTION}{_TAIL}",
        rf"{_ADD} (?:an? |the )?{_NEW}(?:{_NAME} {_KIND}|{_KIND} (?:called |named )?{_NAME.replace('name>', 'name2>')}) (?:to|for|in|of) {_FUNCTION}{_DEFAULT}{_TAIL}",
        rf"(?:give|let|make|have|extend) {_FUNCTION} (?:have |take |accept |get |by |with )?(?:an? |the )?{_NEW}(?:{_KIND} )?(?:called |named )?{_NAME}{_DEFAULT}(?: {_KIND})?{_TAIL}",
        rf"(?:give|let|make|have|extend) {_FUNCTION} (?:have |take |accept |get |by |with )?(?:an? |the )?{_NEW}{_NAME} {_KIND}{_DEFAULT}{_TAIL}",
        rf"{_FUNCTION} (?:(?:should|must|has to|needs to|could|can) (?:also )?(?:take|accept|have|get)|needs|takes|gets) (?:an? |the )?{_NEW}(?:{_KIND} )?(?:called |named )?{_NAME}{_DEFAULT}(?: {_KIND})?{_TAIL}",
        rf"{_FUNCTION} (?:(?:should|must|has to|needs to|could|can) (?:also )?(?:take|accept|have|get)|needs|takes|gets) (?:an? |the )?{_NEW}{_NAME} {_KIND}{_DEFAULT}{_TAIL}",
    )
)


_EVERYWHERE = frozenset(
    """0 1 -1 0.0 1.0 "" '' True False None true false null [] {}""".split()  # noqa: SIM905
)


def _introduced(text: str) -> IntroduceParameter | None:
    """The intent of a request for a parameter with a default, whether it is to be used, where, and by which call;
    ``None`` for another request, or if a default that stands everywhere (``0``, ``None``) is to be used without a word
    on where.
    """
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        name = parts["name"] or parts.get("name2") or ""
        default = next(filter(None, (parts["a"], parts["b"], parts["c"])), "")
        if default[0] == "`":
            default = default[1:-1]
        where = parts["where"] or ""
        if parts["use"] and not where and default in _EVERYWHERE:
            return None  # not each 0 is meant
        return IntroduceParameter(
            parts["function"], name, default, parts["callee"] or "", bool(parts["use"]), where
        )
    return None


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
    ),
    near_misses=(
        "add discount=0 to total and use it",
        "add a parameter to run",
        "add a parameter verbose to run",
        "add retries to run",
    ),
)
"""A parameter with a default of any kind."""
