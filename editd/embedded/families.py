"""The kinds of edits that the embedded model is trained on, and which instructions it may be given.

A small model writes nonsense for what it was not trained on. So an instruction is let through only if it is one of
the families that a checkpoint names in its ``editd.json``, as the rules of ``editd.intent.rules`` read it. All of it
must be understood, since half an understanding edits the wrong thing. The generators of examples are in
``training/families``, under the same names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from editd.config import EMBEDDED
from editd.embedded.refusals import OTHER_MODEL, refusal
from editd.files.local_cache import json_object
from editd.intent import parse
from editd.intent.matching import kind_of, matches_of
from editd.syntax.places import place_of

_PYTHON = frozenset({"python"})


KIND = "trained"
LONGEST = 512  # tokens of prompt and answer in the edits that it was trained on
TITLE = "embedded model: small, for a few kinds of edits"


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of edit that the embedded model is trained on.

    name: in ``editd.json``, in the rules of intents and on the command line. title: its description for users. brief: the
    same as a verb and what it is done to; empty for what nobody asks for. languages: where it is offered; empty for all.
    """

    name: str
    title: str
    brief: str
    languages: frozenset[str] = frozenset()


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "rename", "rename a variable, function, class or attribute everywhere", "rename names"
        ),
        Family("replace-string", "replace a string", "replace strings"),
        Family("replace-number", "replace a number", "replace numbers"),
        Family("delete-comments", "delete the comments", "delete comments"),
        Family("delete-prints", "delete the print statements", "delete prints"),
        Family("delete-lines", "delete the lines that contain a text", "delete lines"),
        Family(
            "delete-function", "delete a function, method or class", "delete functions", _PYTHON
        ),
        Family("add-import", "add an import", "add imports", _PYTHON),
        Family("add-docstring", "add a docstring to a function", "add docstrings", _PYTHON),
        Family("add-type-hint", "add a type hint to a parameter", "add type hints", _PYTHON),
        Family("add-logging", "add a logging call to a function", "add log calls", _PYTHON),
        Family(
            "wrap-try", "wrap a function's body in try/except", "wrap bodies in try/except", _PYTHON
        ),
        Family("f-strings", "convert string formatting to f-strings", "use f-strings", _PYTHON),
        Family("no-change", "change nothing when there is nothing to do", ""),
    )
}


def family_of(
    instruction: str,
    among: Collection[str] | None = None,
    is_defined: Callable[[str], bool] = lambda _: False,
) -> str | None:
    """The name of the family (kind of edit) that ``instruction`` belongs to; ``None`` if to none as a whole, or it is
    about style.

    among: a checkpoint's families; ``None`` for all. is_defined: whether the text defines a function or class of that
    name, so that "in load" says where.
    """
    if parse(instruction).is_about_style:
        return None
    return kind_of(instruction, FAMILIES if among is None else among, is_defined)


@cache
def families_of_embedded() -> tuple[str, ...]:
    """The families of edits that the embedded model knows."""
    known = json.loads((files("editd.embedded") / "weights" / "families.json").read_bytes())
    return tuple(known["families"])


def families_of_model(name: str) -> tuple[str, ...] | None:
    """The families of edits that the model of this name knows: the embedded model, or a folder by
    its absolute path; ``None`` for a model that takes any instruction, or that is not here.

    Reads at most a small file: of a folder its ``editd.json``.
    """
    if name == EMBEDDED:
        return families_of_embedded()
    manifest = json_object(Path(name) / "editd.json") if Path(name).is_absolute() else {}
    return tuple(manifest.get("families", ())) if is_trained(manifest) else None


def in_words(names: Collection[str]) -> str:
    """The families of these names as verbs with what they are done to, each verb once, in the order of ``FAMILIES``;
    empty without any.

    >>> in_words(["rename", "delete-prints", "delete-comments"])
    'rename names and delete comments and prints'
    """
    done_to: dict[str, list[str]] = {}
    for family in FAMILIES.values():
        if family.name in names and family.brief:
            verb, _, things = family.brief.partition(" ")
            done_to.setdefault(verb, []).append(things)
    return _listed([f"{verb} {_listed(things)}" for verb, things in done_to.items()])


def _listed(words: Sequence[str]) -> str:
    """The words with commas, and "and" before the last."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def refuse_anywhere(families: Collection[str], instruction: str) -> str | None:
    """The sentence for the user if a model of these families refuses the instruction for any text; ``None`` if it may take it.

    Taken is also what the words of the instruction, or of each of its clauses, may decide without a model.
    """
    clauses = parse(instruction).clauses or (instruction,)
    if all(matches_of(clause) or family_of(clause, families) for clause in clauses):
        return None
    return f"The embedded model does not know this kind of edit: {OTHER_MODEL}"


def describe(families: Sequence[str], edit_format: str) -> dict[str, Any]:
    """The content of ``editd.json`` for a checkpoint that knows ``families``; the others are listed as left out."""
    return {
        "format": edit_format,
        "kind": KIND,
        "title": TITLE,
        "license": "Apache-2.0 (base model), MIT (adapter)",
        "families": list(families),
        "left_out": [name for name in FAMILIES if name not in families],
        "longest": LONGEST,
    }


def is_trained(manifest: dict[str, Any]) -> bool:
    """Whether a checkpoint's ``editd.json`` says that it knows only some kinds of edits."""
    return manifest.get("kind") == KIND


def longest(manifest: dict[str, Any]) -> int:
    """The most tokens of prompt and answer that it was trained with; 0 if the manifest has no such number."""
    tokens = manifest.get("longest", 0)
    return tokens if isinstance(tokens, int) else 0


def is_whole(manifest: dict[str, Any]) -> bool:
    """Whether a checkpoint was trained on whole texts, so that it gets no parts of one."""
    return manifest.get("scope") == "whole"


def refuse(manifest: dict[str, Any], instruction: str, language: str, text: str = "") -> str | None:
    """The sentence for the user if the checkpoint must not be given the instruction for ``text``; ``None`` if it may:
    it belongs to one of the manifest's families that is offered for ``language``. Raises ``KeyError`` for a family that
    editd does not know.
    """

    def is_defined(name: str) -> bool:
        return place_of(name, text, language) is not None

    known = [
        name
        for name in manifest.get("families", [])
        if not FAMILIES[name].languages or language in FAMILIES[name].languages
    ]
    parsed = parse(instruction)
    if parsed.is_asked_for and family_of(instruction, known, is_defined):
        return None
    return refusal(parsed, known, language, text, in_words(known))
