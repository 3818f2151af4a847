"""Edits of the imports of a file: those that nothing uses go, or they are sorted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from editd.intent.english import FUNCTION_WORDS
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.import_cues import SORT_IMPORTS
from editd.intent.intents import RemoveUnusedImports
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates

_IMPORTS = re.compile(
    r"\b(?:import|require|include|using|use|module|package|librar|F401|header)\w*", re.IGNORECASE
)
_SUBJECTS = re.compile(
    r"(?:^|[,;:.] )(?P<names>\w+(?:(?:, | and |, and | & )\w+)*) (?:is|are)(?:n['’]t| not| never| no longer) (?:used|needed|called)\b",
    re.IGNORECASE,
)
_OF_NAME = re.compile(
    r"\bimports? (?:of )?(?P<name>[^\W\d]\w*)(?=\s*(?:$|[,.;:!?)]|in\b|from\b|here\b))",
    re.IGNORECASE,
)
_NO_NAMES = FILLER | FUNCTION_WORDS | {"out"}
_ASKS_TO_IMPORT = re.compile(
    r"\W*(?:please |pls )*(?:import|require|include) (?!(?:order|lines?|block|sort|statements?)\b)",
    re.IGNORECASE,
)
_BY_ANOTHER_ORDER = re.compile(
    r"\bby (?:file|length|size|use|usage|type|importance)\b", re.IGNORECASE
)


def _unused(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text without its unused imports, without those alone that the sentence names if it names some."""
    words = re.findall(r"(?<!['’])\b[^\W\d]\w*", request.text)
    bound = request.facts.imports
    cited = [x for x in words if x in bound and x.lower() not in FUNCTION_WORDS]
    named = dict.fromkeys(name for x in cited for name in bound[x])
    others = [x["name"] for x in _OF_NAME.finditer(request.text)]
    others += [y for x in _SUBJECTS.finditer(request.text) for y in re.findall(r"\w+", x["names"])]
    if (
        request.missing
        or any(x not in bound and x.lower() not in _NO_NAMES for x in others)
        or not (named or _IMPORTS.search(request.text))
    ):
        return
    if found := request.done(RemoveUnusedImports(tuple(named))):
        yield replace(found, reading="remove the unused imports")


def _sorted(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with its imports in the order that the sentence gives, or in the usual one."""
    if _BY_ANOTHER_ORDER.search(request.text) or _ASKS_TO_IMPORT.match(request.text):
        return
    sentence = "; ".join([request.text, *(f"leave {x}" for x in request.staying)])
    intent = SORT_IMPORTS.makes(sentence, (), (), request.facts)
    found = intent and request.done(intent)
    if found:
        yield replace(found, reading=SORT_IMPORTS.words)


READERS: dict[str, Reader] = {"remove_unused_imports": _unused, "sort_imports": _sorted}
"""The readers of the kinds of edits here."""
