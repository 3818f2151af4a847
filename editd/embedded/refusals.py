"""What a user is told whose instruction the embedded model may not be given.

Proposed is only what the text has and the words share: a name in it, a call that prints, an import. Nothing is proposed
where that is nothing. Who writes in another language than English is told that, and what can be done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from editd.intent import parse
from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, is_identifier
from editd.intent.restrictions import excepts
from editd.syntax.code import read_code
from editd.syntax.imports import import_in
from editd.syntax.scopes import defined_in

_LARGER = "choose a larger model with --model, such as Qwen/Qwen2.5-Coder-1.5B-Instruct (`editd models pull` gets it)."
_MOST = 3  # proposals
_DENIED = re.compile(r"\b(?:don't|do not|never|not|without|only)\b", re.IGNORECASE)


_PRINTS = r"\b(?:print|println!?|printf|console\.log)\s*\("
# Words by which a request shows that it is in another language.
_OTHER_LANGUAGES = re.compile(
    r"[^\W\d_a-zA-Z\u00c0-\u024f]{2}|\b(?:"
    r"(?:um)?benenne?n?|nenne|lösch\w*|entfern\w*|ersetz\w*|änder\w*|füge|sortier\w*|bitte|alle[nrs]?|nicht|und|oder|eine?[nmrs]?|der|dem"
    r"|renomm\w*|supprim\w*|remplac\w*|ajout\w*|chang(?:ez|er)|trie[rz]?|efface[rz]?|toutes?|tous|les|des|dans|avec|s'il"
    r"|renombr\w*|cambi(?:a|ar|e)|borr(?:a|ar)|elimin(?:a|ar|e)|reemplaz\w*|añad\w*|agreg\w*|orden(?:a|ar|e)|todos?|todas?|los|las|por|favor|para|una?"
    r"|rinomin\w*|sostituisc\w*|aggiung\w*|rimuov\w*|cancell[ai]\w*|tutt[ei]|gli|della|nella"
    r"|renome\w*|substitu[ai]\w*|remov[ae]r?|apag(?:ue|ar)|adicion\w*|troqu?e|você|não"
    r"|hernoem\w*|verwijder\w*|vervang\w*|voeg|alstublieft|zmień|usuń|zamień|dodaj|ändra|ta bort|byt|omdøb|slet|nimeä|değiştir|sil|ekle"
    r")\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|please|rename|remove|delete|add|make|change|replace|all|this|that|these|with|from|should|function|is|it|of|and)\b",
    re.IGNORECASE,
)


def refusal(instruction: str, among: Collection[str], language: str = "", text: str = "") -> str:
    """Why, and what to do; among: the families of edits that the model knows."""
    if _is_foreign(instruction):
        return (
            "The embedded model and what is computed from words understand English alone: say it in English, or "
            f"{_LARGER}"
        )
    if absent := _absent(instruction, text):
        return absent
    is_whole = not (
        excepts(instruction) or _DENIED.search(instruction)
    )  # of less nothing is proposed
    asked = _Asked.of(instruction, language, text)
    near = list(dict.fromkeys(_near(asked, among)))[:_MOST] if is_whole else []
    each = [f'"{one}"' for one in near]
    listed = f"{', '.join(each[:-1])} or {each[-1]}" if each[1:] else "".join(each)
    question = f" Did you mean {listed}?" if near else ""
    return f"The embedded model is small and did not understand this.{question} For anything else {_LARGER}"


def _absent(instruction: str, text: str) -> str:
    """That a name to be renamed is not in the text, and what resembles it; empty if it is."""
    for old, new in parse(instruction).renames:
        if (
            text
            and new
            and is_identifier(old)
            and not re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text)
        ):
            like = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text, re.IGNORECASE)
            return f"“{old}” is not in this text" + (f"; is “{like[0]}” meant?" if like else ".")
    return ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """words: of the instruction, in lower case. names: those that the text has, in order, and definitions of it first."""

    instruction: str
    text: str
    language: str
    words: frozenset[str]
    names: tuple[str, ...]
    definitions: tuple[str, ...]

    @classmethod
    def of(cls, instruction: str, language: str, text: str) -> _Asked:
        spoken = re.findall(r"[^\W\d]\w*", instruction)
        known = {
            token.text
            for token in read_code(text, language).tokens or ()
            if token.kind in ("name", "member")
        }
        ordinary = FUNCTION_WORDS | KINDS | LABELS
        names = tuple(
            dict.fromkeys(word for word in spoken if word in known and word.lower() not in ordinary)
        )
        defined = defined_in(text, language)
        words = frozenset(word.lower() for word in spoken)
        return cls(
            instruction, text, language, words, names, tuple(n for n in names if n in defined)
        )

    def says(self, stems: str) -> bool:
        """Whether a word begins with one of these."""
        return any(word.startswith(tuple(stems.split())) for word in self.words)

    def has(self, pattern: str) -> bool:
        return re.search(pattern, self.text) is not None


def _near(asked: _Asked, among: Collection[str]) -> Iterator[str]:
    for family, stems, of_python, proposal in _PROPOSALS:
        is_offered = family in among or not family
        is_offered = is_offered and (asked.language == "python" or not of_python)
        say = proposal(asked) if is_offered and asked.says(stems) else None
        if say is not None:
            yield say


def _rename(asked: _Asked) -> str | None:
    new = re.search(
        r"\b(?:to|into|as|called|named|be)\s+[`'\"]?([^\W\d]\w*)[`'\"]?\W*$", asked.instruction
    )
    old = next((name for name in asked.names if not new or name != new[1]), None)
    return f"rename {old} to {new[1]}" if old and new and new[1] not in FUNCTION_WORDS else None


def _replaced(asked: _Asked) -> str | None:
    quoted = parse(asked.instruction).quoted
    both = len(quoted) > 1 and quoted[0] in asked.text
    return (
        f"replace '{quoted[0]}' with '{quoted[1]}'" if both and "'" not in "".join(quoted) else None
    )


def _set(asked: _Asked) -> str | None:
    number = re.search(r"(?<![\w.])-?\d[\d.]*(?![\w.])", asked.instruction)
    name = next((one for one in asked.names if re.search(rf"\b{one}\b\s*[:=]", asked.text)), None)
    return f"set {name} to {number[0]}" if name and number else None


def _deleted(asked: _Asked) -> str | None:
    is_said = asked.says("delet remov drop") and asked.definitions
    return f"delete the function {asked.definitions[0]}" if is_said else None


def _if(pattern: str, say: str) -> Callable[[_Asked], str | None]:
    """A proposal for a text with the pattern."""
    return lambda asked: say if asked.has(pattern) else None


def _of_imports(say: str) -> Callable[[_Asked], str | None]:
    """A proposal for a text with imports."""
    return lambda asked: say if import_in(asked.text.split("\n")) else None


def _of(say: str) -> Callable[[_Asked], str | None]:
    """A proposal about a definition that is named."""
    return lambda asked: say.format(name=asked.definitions[0]) if asked.definitions else None


_PROPOSALS: tuple[tuple[str, str, bool, Callable[[_Asked], str | None]], ...] = (
    ("rename", "renam name call", False, _rename),
    ("replace-string", "replac chang swap exchang", False, _replaced),
    ("replace-number", "set chang rais increas reduc lower replac bump", False, _set),
    ("delete-comments", "comment", False, _if(r"#|//|/\*|--|;", "delete the comments")),
    ("delete-prints", "print", False, _if(_PRINTS, "delete the prints")),
    ("", "print", True, _if(_PRINTS, "replace print with logging")),
    ("delete-function", "function method class", True, _deleted),
    ("add-docstring", "docstring document", True, _of("add a docstring to {name}")),
    ("add-logging", "log", True, _of("add a log call to {name}")),
    (
        "wrap-try",
        "try catch except error handl wrap",
        True,
        _of("wrap the body of {name} in try/except ValueError"),
    ),
    (
        "f-strings",
        "format fstring string",
        True,
        _if(r"%\s*\(|\.format\(|[\"'] % ", "use f-strings"),
    ),
    ("", "import", False, _of_imports("sort the imports")),
    ("", "import", False, _of_imports("remove the unused imports")),
    ("", "quote", False, _if(r"[\"']", "use double quotes")),
    ("", "open file clos", True, _if(r"\bopen\(", "use with open")),
    ("", "docstring", True, _if(r'"""|\'\'\'', "delete the docstrings")),
    ("", "comment disabl", False, _of("comment out the function {name}")),
    ("", "early nest return flatten", False, _of("use an early return in {name}")),
)
"""For which family of the model, empty for what is computed; stems of words that it shares; whether of Python alone."""


def _is_foreign(instruction: str) -> bool:
    """Whether words of another language are in it, and none that only English has; what is quoted does not count."""
    bare = instruction
    for text in parse(instruction).quoted:
        bare = bare.replace(text, " ")
    return bool(_OTHER_LANGUAGES.search(bare)) and not _ENGLISH.search(bare)
