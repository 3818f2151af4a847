"""Is this instruction one of the families'? A rule, not the model, decides.

Each family brings patterns of its own instructions; the words in capitals stand for what they may
be filled with. The whole instruction must match: half an understanding edits the wrong thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from editd.embedded.families import FAMILIES
from editd.instruction import read
from editd.instruction.sentences import SLOTS, compiled, plain

_SLOTS = SLOTS | {
    "VALUE": r"`?(?:none|true|false|-?\d+|\[\]|\{\}|''|\"\")`?",
    "TYPE": r"`?(?:[^\W\d][\w.]*(?:\[[\w., \[\]|]+\])?)(?: ?\| ?[^\W\d][\w.]*(?:\[[\w., ]+\])?)*`?",
    "ERROR": r"`?(?:[a-z]*error|exception|[a-z]*exception|stopiteration)`?",
    "LEVEL": r"(?:debug|info|warning|error|critical)",
    "FORMATTING": r"(?:(?:string )?formatting|% and \.?format|\.?format(?: calls?)?|% ?formatting)",
    "TRY": r"(?:an? )?try(?:/| and |-|\.\.\.)?(?:except|catch)?(?: block)?",
}  # fmt: skip

_PRONOUNS = frozenset(
    {
        "it",
        "them",
        "this",
        "that",
        "these",
        "those",
        "everything",
        "all",
        "anything",
        "missing",
        "needed",
    }
)
_NOUNS_TEXT = """
    code function functions method methods class classes variable variables file comments comment
    docstrings docstring prints imports import tests test lines line duplicates unused whitespace
    dead bug bugs error errors type types hints hint logging the a an and or something
    loop loops string strings number
"""
_NOUNS = frozenset(_NOUNS_TEXT.split())


def family_of(instruction: str, among: Collection[str] | None = None) -> str | None:
    """The name of the family that ``instruction`` belongs to, ``None`` if to none.

    among: only these; a checkpoint's list in ``editd.json``.
    """
    if read(instruction).is_about_style:
        return None
    told = plain(instruction)
    for name, patterns in _compiled().items():
        if among is not None and name not in among:
            continue
        nouns: frozenset[str] = (
            frozenset() if name == "add-import" else _NOUNS
        )  # there are modules called so
        if any(_fits(pattern, told, nouns) for pattern in patterns):
            return name
    return None


def refusal(among: Collection[str] | None = None) -> str:
    """What a user is told whose instruction is none of them; ``among`` as in ``family_of``."""
    titles = [
        family.title
        for family in FAMILIES.values()
        if family.name != "no-change" and (among is None or family.name in among)
    ]
    knows = f"only knows some edits ({', '.join(titles)})" if titles else "knows no edits of this"
    return (
        f"The embedded model is small and {knows}: for anything else choose a larger one with --model, such as "
        "Qwen/Qwen2.5-Coder-1.5B-Instruct (`editd models pull` gets it)."
    )


def _fits(pattern: re.Pattern[str], told: str, nouns: frozenset[str]) -> bool:
    match = pattern.fullmatch(told)
    if match is None:
        return False
    groups = [(key, value.casefold()) for key, value in match.groupdict().items() if value]
    names = {value for key, value in groups if "name" in key}
    # "document this", "add the missing import": a bare word that names nothing asks for something
    # else, unless it is said what it names ("the method error") or what becomes of it.
    kind_told = any(key.startswith("kind") for key, _ in groups)
    return not names & _PRONOUNS and (len(names) > 1 or kind_told or not names & nouns)


@cache
def _compiled() -> dict[str, list[re.Pattern[str]]]:
    return {
        name: [compiled(pattern, _SLOTS) for pattern in family.patterns]
        for name, family in FAMILIES.items()
    }
