"""Is this instruction one of the families'? A rule, not the model, decides: the table of sentences.

The whole instruction must be understood: half an understanding edits the wrong thing.
"""

from __future__ import annotations

from collections.abc import Collection

from editd.embedded.families import FAMILIES
from editd.instruction import read
from editd.instruction.sentences import kind_of


def family_of(instruction: str, among: Collection[str] | None = None) -> str | None:
    """The name of the family that ``instruction`` belongs to, ``None`` if to none.

    among: only these; a checkpoint's list in ``editd.json``.
    """
    if read(instruction).is_about_style:
        return None
    return kind_of(instruction, FAMILIES if among is None else among)


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
