"""Why the embedded model may not be given an instruction, as a sentence for the user with what could be asked instead.

Proposed is only what the text has and the words share: a name in it, a call that prints, an import; nothing is proposed
without such a thing. Who writes in another language than English reads that English is understood alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from editd.intent import Parsed
from editd.intent.context import VERB
from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, is_identifier
from editd.intent.restrictions import excepts
from editd.syntax.code import read_code
from editd.syntax.imports import import_in
from editd.syntax.language import SCRIPTS
from editd.syntax.places import defined_in

OTHER_MODEL = "choose a larger model with --model (`editd setup` offers those that run here)."
ALL_KINDS = "`editd presets` lists all"
_MOST = 3  # proposals
_DENIED = re.compile(r"\b(?:don't|do not|never|not|without|only)\b", re.IGNORECASE)
_DELETING = re.compile(
    r"\W*(?:please |can you |could you )*(?:delete|remove|drop|get rid of|kill)\b", re.IGNORECASE
)
_DISABLING = re.compile(
    r"\W*(?:please |can you |could you )*(?:disable|turn off|deactivate|switch off|comment|uncomment)\b",
    re.IGNORECASE,
)
# "add an optional phone field to Customer": a field without its type.
_FIELD = re.compile(
    r"\b(?P<optional>optional )?[`'\"]?(?P<name>(?!(?:new|an?|the|optional)\b)[^\W\d]\w*)[`'\"]? (?:field|prop|property|attribute|column|member)\b(?: (?:to|in|into|on) (?:the )?(?:struct |class |table |type |interface )?[`'\"]?(?P<owner>[^\W\d]\w*))",
    re.IGNORECASE,
)
# How a field is written: of a text, and of what is true or false.
_FIELDS = {
    "python": ("{name}: str{none}", "{name}: bool = False"),
    "typescript": ("{name}{mark}: string", "{name}?: boolean"),
    "tsx": ("{name}{mark}: string", "{name}?: boolean"),
    "go": ("{name} string", "{name} bool"),
    "rust": ("{name}: String", "{name}: bool"),
    "java": ("String {name}", "boolean {name}"),
    "csharp": ("string {name}", "bool {name}"),
    "sql": ("{name} TEXT", "{name} BOOLEAN"),
}
_FLAG = re.compile(
    r"(?:is|has|can)[A-Z_]\w*|\w+(?:ed|able|ible)|active|visible|open|done", re.IGNORECASE
)
_MISSPELT = re.compile(
    r"\b(?:in|of|word|typo:?|fix|spell\w*|is|the) [`'\"]?(?P<word>[^\W\d]\w{2,})[`'\"]?",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:delet|remov|drop|strip|clean|kill|clear|prun|rid\b|no\b|less\b|fewer\b|without\b|unused|unneeded|out\b|away\b)",
    re.IGNORECASE,
)
_PRINTS = r"\b(?:print|println!?|printf|console\.log)\s*\("
# Words that show that a request is in another language.
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


def refusal(
    parsed: Parsed, among: Collection[str], language: str = "", text: str = "", kinds: str = ""
) -> str:
    """The sentences for the user: why the model may not be given the instruction, and what to do: say it in English,
    name something that the text has, one of up to three proposals, without any one of the kinds that it knows, or a larger model.

    among: the families (kinds of edits) that the model knows in this language. kinds: the same in words. Nothing is proposed for an instruction with “only”, “not”
    and the like.
    """
    if _is_foreign(parsed):
        return (
            "The embedded model and what is computed from words understand English alone: say it in English, or "
            f"{OTHER_MODEL}"
        )
    if absence := _absence(parsed, text):
        return absence
    is_restricted = excepts(parsed.text) or _DENIED.search(parsed.text)
    wording = _Wording.of(parsed, language, text)
    # Each proposal is about a whole text, which a restricted request is not.
    proposed = () if is_restricted else dict.fromkeys(_proposals(wording, among))
    same = parsed.text.strip(" .").casefold()
    near = [sentence for sentence in proposed if sentence.casefold() != same][:_MOST]
    each = [f'"{sentence}"' for sentence in near]
    listed = f"{', '.join(each[:-1])} or {each[-1]}" if each[1:] else "".join(each)
    question = f" Did you mean {listed}?" if near else ""
    # What is near to the words is told in place of everything, so that a sentence stays one.
    known = f" In this file it can {kinds} ({ALL_KINDS})." if kinds and not near else ""
    return f"The embedded model is small and did not understand this.{question}{known} For anything else {OTHER_MODEL}"


def _absence(parsed: Parsed, text: str) -> str:
    """The sentence that a name to be renamed is not in ``text`` as a word (the first such), and the
    same name in another case if that is; empty if each is there, no identifier is renamed, or
    ``text`` is empty.
    """
    for old, new in parsed.renames:
        if (
            text
            and new
            and is_identifier(old)
            and not re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text)
        ):
            like = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text, re.IGNORECASE)
            return f"“{old}” is not in this text" + (f"; is “{like[0]}” meant?" if like else ".")
    return ""


def _is_foreign(parsed: Parsed) -> bool:
    """Whether the instruction has words of another language, and none of those that show English; quoted texts do not
    count.
    """
    bare = parsed.text
    for text in parsed.quoted:
        bare = bare.replace(text, " ")
    return bool(_OTHER_LANGUAGES.search(bare)) and not _ENGLISH.search(bare)


# Proposals


@dataclass(frozen=True, slots=True)
class _Wording:
    """The words of an instruction, beside the text that they are about.

    words: in lower case. names: those that the text has, in order. definitions: those that it defines.
    """

    parsed: Parsed
    text: str
    language: str
    words: frozenset[str]
    names: tuple[str, ...]
    definitions: tuple[str, ...]

    @classmethod
    def of(cls, parsed: Parsed, language: str, text: str) -> _Wording:
        """The words of the instruction ``parsed``, with those among them that are names of ``text``
        (words such as "the" or "function" never are), and those that ``text`` defines. Quoted texts
        that are no names do not count; a verb at the beginning is a word and no name.
        """
        bare = parsed.text
        for quoted in parsed.quoted:
            bare = bare if is_identifier(quoted) else bare.replace(quoted, " ")
        begin = VERB.match(bare.lstrip())  # "add a function": a verb at the beginning is no name
        spoken = _words(bare.lstrip()[begin.end() :] if begin else bare)
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
        words = frozenset(map(str.lower, _words(bare)))
        return cls(parsed, text, language, words, names, tuple(n for n in names if n in defined))

    def has_stem(self, stems: str) -> bool:
        """Whether a word of the instruction begins with one of ``stems``, which stand in one text."""
        return any(word.startswith(tuple(stems.split())) for word in self.words)


def _words(text: str) -> list[str]:
    """The words of a text that can be names, in order."""
    return re.findall(r"[^\W\d]\w*", text)


Proposal = Callable[[_Wording], str | None]
"""Makes the sentence that could be asked instead; ``None`` where the text has no occasion for it."""


def _proposals(wording: _Wording, among: Collection[str]) -> Iterator[str]:
    """Yield the sentences of ``_PROPOSALS`` for which words and text give an occasion, in that order, of the families
    in ``among`` and of computed edits; those for Python alone only there. Sentences may come twice.
    """
    for family, stems, python_only, proposal in _PROPOSALS:
        is_offered = family in among or not family
        is_offered = is_offered and (wording.language == "python" or not python_only)
        sentence = proposal(wording) if is_offered and wording.has_stem(stems) else None
        if sentence is not None:
            yield sentence


def _rename(wording: _Wording) -> str | None:
    """``rename OLD to NEW``: NEW is the instruction's last word, after "to", "into", "as",
    "called", "named" or "be", OLD the first other name of the text that is in the instruction;
    ``None`` if either is missing or NEW is a word such as "the".
    """
    new = re.search(
        r"\b(?:to|into|as|called|named|be)\s+[`'\"]?([^\W\d]\w*)[`'\"]?\W*$", wording.parsed.text
    )
    old = next((name for name in wording.names if not new or name != new[1]), None)
    return f"rename {old} to {new[1]}" if old and new and new[1] not in FUNCTION_WORDS else None


def _replace_text(wording: _Wording) -> str | None:
    """``replace 'OLD' with 'NEW'`` for the first two quoted texts; ``None`` if there are fewer, the text lacks the
    first, or any quoted text has an apostrophe.
    """
    quoted = wording.parsed.quoted
    has_both = len(quoted) > 1 and quoted[0] in wording.text and "'" not in "".join(quoted)
    return f"replace '{quoted[0]}' with '{quoted[1]}'" if has_both else None


def _set_value(wording: _Wording) -> str | None:
    """``set NAME to NUMBER`` for the first number of the instruction and the first name in it that the text gives a
    value by ``:`` or ``=``; ``None`` if either is missing.
    """
    number = re.search(r"(?<![\w.])-?\d[\d.]*(?![\w.])", wording.parsed.text)
    assigned = (name for name in wording.names if re.search(rf"\b{name}\b\s*[:=]", wording.text))
    name = next(assigned, None)
    return f"set {name} to {number[0]}" if name and number else None


def _delete_definition(wording: _Wording) -> str | None:
    """``delete the function NAME`` for a definition that is named, and a verb that deletes; else ``None``."""
    is_asked = wording.definitions and _DELETING.match(wording.parsed.text)
    return f"delete the function {wording.definitions[0]}" if is_asked else None


def _add_field(wording: _Wording) -> str | None:
    """``add NAME: TYPE to OWNER`` as the language writes it, for a field without a type and an owner that the text has; of
    a component of React its ``Props``, if the text has them. The type is one of texts, or by the name of truth values, or (Go) of a time.
    ``None`` without such words or in other languages.
    """
    found = _FIELD.search(wording.parsed.text)
    forms = _FIELDS.get(wording.language)
    if found is None or forms is None:
        return None
    owner, optional = found["owner"], bool(found["optional"])
    if wording.language in ("typescript", "tsx") and re.search(rf"\b{owner}Props\b", wording.text):
        owner = f"{owner}Props"
    if not re.search(rf"(?<!\w){owner}(?!\w)", wording.text):
        return None
    is_time = re.search(r"timeout|interval|delay|duration", found["name"], re.IGNORECASE)
    if is_time and wording.language == "go":
        return f"add {found['name']} time.Duration to {owner}"
    form = forms[1 if _FLAG.fullmatch(found["name"]) else 0]
    none, mark = (" | None = None", "?") if optional else ("", "")
    return f"add {form.format(name=found['name'], none=none, mark=mark)} to {owner}"


def _fix_typo(wording: _Wording) -> str | None:
    """``fix typo: WORD -> …`` for a word that is called wrong and stands in the text; ``None`` without one."""
    known = FUNCTION_WORDS | KINDS | LABELS
    words = (at["word"] for at in _MISSPELT.finditer(wording.parsed.text))
    found = (x for x in words if x.lower() not in known)
    word = next((x for x in found if re.search(rf"(?<!\w){x}(?!\w)", wording.text)), None)
    return f"fix typo: {word} -> …" if word else None


def _for_scripts(proposal: Proposal) -> Proposal:
    """A proposal that is ``proposal`` in JavaScript and TypeScript, else ``None``."""
    return lambda wording: proposal(wording) if wording.language in SCRIPTS else None


def _for_disabling(proposal: Proposal) -> Proposal:
    """A proposal that is ``proposal`` if the words begin with a verb that disables, else ``None``."""
    return lambda wording: proposal(wording) if _DISABLING.match(wording.parsed.text) else None


def _for_deleting(proposal: Proposal) -> Proposal:
    """A proposal that is ``proposal`` if the words ask for less of something (“delete”, “without”), else ``None``."""
    return lambda wording: proposal(wording) if _LESS.search(wording.parsed.text) else None


def _for_text(pattern: str, sentence: str) -> Proposal:
    """The proposal of ``sentence`` for a text with ``pattern``."""
    return lambda wording: sentence if re.search(pattern, wording.text) else None


def _for_imports(sentence: str) -> Proposal:
    """The proposal of ``sentence`` for a text with imports."""
    return lambda wording: sentence if import_in(wording.text.split("\n")) else None


def _for_definition(sentence: str) -> Proposal:
    """The proposal of ``sentence`` for the first definition that is named."""
    return lambda wording: (
        sentence.format(name=wording.definitions[0]) if wording.definitions else None
    )


_PROPOSALS: tuple[tuple[str, str, bool, Proposal], ...] = (
    ("", "field prop attribut column member", False, _add_field),
    ("", "typo spell misspel", False, _fix_typo),
    ("", "var", False, _for_scripts(_for_text(r"(?m)^\s*var\s", "replace var with let/const"))),
    ("rename", "renam name call", False, _rename),
    ("replace-string", "replac chang swap exchang", False, _replace_text),
    ("replace-number", "set chang rais increas reduc lower replac bump", False, _set_value),
    (
        "delete-comments",
        "comment",
        False,
        _for_deleting(_for_text(r"#|//|/\*|--|;", "delete the comments")),
    ),
    ("delete-prints", "print", False, _for_deleting(_for_text(_PRINTS, "delete the prints"))),
    ("", "print", True, _for_text(_PRINTS, "replace print with logging")),
    ("delete-function", "function method class", True, _delete_definition),
    ("add-docstring", "docstring document", True, _for_definition("add a docstring to {name}")),
    ("add-logging", "log", True, _for_definition("add a log call to {name}")),
    (
        "wrap-try",
        "try catch except error handl wrap",
        True,
        _for_definition("wrap the body of {name} in try/except"),
    ),
    (
        "f-strings",
        "format fstring string",
        True,
        _for_text(r"%\s*\(|\.format\(|[\"'] % ", "use f-strings"),
    ),
    ("", "import", False, _for_imports("sort the imports")),
    ("", "import", False, _for_deleting(_for_imports("remove the unused imports"))),
    ("", "quote", False, _for_text(r"[\"']", "use double quotes")),
    ("", "open file clos", True, _for_text(r"\bopen\(", "use with open")),
    ("", "docstring", True, _for_deleting(_for_text(r'"""|\'\'\'', "delete the docstrings"))),
    (
        "",
        "disabl uncomment comment turn deactivat switch",
        False,
        _for_disabling(_for_definition("comment out the function {name}")),
    ),
    (
        "",
        "early nest nested nesting flatten guard",
        False,
        _for_definition("use an early return in {name}"),
    ),
)
"""Family of the model, empty for a computed edit; stems of its words; whether it is for Python alone; the proposal."""
