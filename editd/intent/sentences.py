"""Whether an instruction is one plain sentence of the table, and what it names.

The whole request must match a row, so a bare word may be a name ("let total be called amount") and nothing
else can be meant; ``phrases`` reads what stands anywhere in a text. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from editd.intent.chores import CHORES
from editd.intent.english import (
    A_NAME,
    CASE_STYLE,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    NUMBER,
    PRONOUNS,
    QUOTED,
    SIGNS,
    Said,
    Wish,
    has_letters_or_signs,
    is_code_like,
    plain,
    quoted,
)
from editd.intent.intents import TYPES, Exchange, Likely, Meaning, Open, Placed
from editd.intent.lists import items_of
from editd.intent.restrictions import narrow, spoken_of
from editd.intent.row_templates import A_KIND, BEFORE_KIND, PHRASES, SLOTS
from editd.intent.table import TABLE, Kind


@dataclass(frozen=True, slots=True)
class Sentence:
    """A row of the table, found in an instruction.

    said: what stands in its slots, by role. marks: the quotes around these. is_taught: the embedded model was
    taught these words. wish: without what was said around it. gist: the plain sentence that an unusual one was
    taken for; empty if it is plain itself.
    """

    kind: Kind
    said: dict[str, str]
    marks: dict[str, str]
    is_taught: bool
    wish: Wish
    gist: str = ""

    @property
    def place(self) -> str:
        """Where in the file, if it says so."""
        return self.said.get("place", "") or self.wish.place

    @property
    def is_naming(self) -> bool:
        """Whether it says that it is about a name."""
        return "kind" in self.said or bool(_NAMING.search(self.wish.text))

    @property
    def meaning(self) -> Meaning:
        """What it asks for, where nothing else can be meant."""
        if self.kind.meaning is None or self.wish.is_vague:
            return Open()
        meaning = self.kind.meaning(self.said)
        if not (isinstance(meaning, Likely) or _is_certain(self)):
            return Open()
        if self.wish.only:
            certain = meaning.meaning if isinstance(meaning, Likely) else meaning
            return (
                replace(certain, only=self.wish.only) if isinstance(certain, Exchange) else Open()
            )
        if not self.place:
            return meaning
        place = self.place.removesuffix("()")
        if isinstance(meaning, Placed):
            return replace(meaning, place=place)
        if isinstance(meaning, Likely) and isinstance(meaning.meaning, Placed):
            others = tuple(replace(one, place=place) for one in meaning.others)
            return Likely(replace(meaning.meaning, place=place), others)
        return Open()

    @property
    def spoken_of(self) -> frozenset[str]:
        """Words beside it that narrow it if the buffer defines something of that name."""
        if self.kind.name in _OF_ONE_PLACE:
            return frozenset()
        return spoken_of(self.wish.asides, self.said.values())

    def is_taken(self, is_defined: Callable[[str], bool]) -> bool:
        """Whether a model that was taught such sentences may be given this one, with its place."""
        if self.wish.only or any(map(is_defined, self.spoken_of)):
            return False
        if not self.place:
            return True
        is_known = not self.wish.is_bare or is_defined(self.place)
        return self.kind.name in _TAUGHT_IN_A_PLACE and is_known


@lru_cache(maxsize=16)
def sentences_of(instruction: str) -> tuple[Sentence, ...]:
    """The readings of the instruction: what the embedded model was taught first. An unusual one has that of its gist.

    A list of several is none.
    """
    items = items_of(instruction)
    if len(items) > 1:
        return ()
    [instruction] = items
    if found := tuple(_plain_sentences(instruction)):
        return found
    from editd.intent.lexical import gist_of  # most requests are plain

    gist = gist_of(instruction)
    return tuple(replace(one, gist=gist) for one in _plain_sentences(gist)) if gist else ()


def _plain_sentences(instruction: str) -> Iterator[Sentence]:
    if len(instruction) > _LONGEST:
        return
    first = Wish(plain(instruction))
    yield from _rows_of(first, taught=True)
    from editd.intent.context import framed  # most requests need none of its patterns

    for wish in framed(instruction):
        if wish != first:
            yield from _rows_of(wish, taught=True)
        yield from _rows_of(wish, taught=False)


def _rows_of(wish: Wish, *, taught: bool) -> Iterator[Sentence]:
    line = Line.of(wish.text)
    for kind in (*TABLE, *CHORES):
        for row in kind.taught if taught else kind.also:
            if line.may_fit(row) and (found := line.filled(row)):
                sentence = Sentence(kind, *found, taught, wish)
                if _may_be_meant(sentence):
                    yield sentence


@cache
def needed(row: str) -> list[frozenset[str]]:
    """Sets of words: a line that fits ``row`` has one of each. A cheap way to pass over most rows."""
    return _sets(iter(_PIECE.findall(row)))


def _sets(pieces: Iterator[str]) -> list[frozenset[str]]:
    """Up to the bracket that closes: of each word or bracket a list of sets, of alternatives one together."""
    ways: list[list[list[frozenset[str]]]] = [[]]
    for piece in pieces:
        if piece == ")":
            break
        if piece == "|":
            ways.append([])
        elif piece in ("?", "*"):
            ways[-1][-1] = []
        elif piece == "(":
            ways[-1].append(_sets(pieces))
        elif piece in PHRASES:
            ways[-1].append(needed(PHRASES[piece]))
        elif not piece.isspace():
            is_word = piece not in SLOTS and piece not in _SIGNS and piece != "KIND"
            ways[-1].append([_spellings(piece)] if is_word else [])
    sets = [[one for part in way for one in part] for way in ways]
    if len(sets) == 1:
        return sets[0]
    return [frozenset().union(*(min(one, key=len) for one in sets))] if all(sets) else []


@cache
def _spellings(word: str) -> frozenset[str]:
    """``modernise`` and ``modernize`` of ``moderni[sz]e``; ``import`` and ``imports`` of ``imports?``."""
    spelled = [""]
    for letters, optional in _LETTER.findall(word):
        choices = [*letters.strip("[]"), *([""] if optional else [])]
        spelled = [begin + letter for begin in spelled for letter in choices]
    return frozenset(spelled)


_LETTER = re.compile(r"(\[\w+\]|.)(\?)?")


@dataclass(frozen=True, slots=True)
class Line:
    """An instruction as rows are matched against it.

    lower: its line in lower case, where "`" stands before what was in backticks.
    """

    said: Said
    lower: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Line:
        split = _SPLIT.sub(lambda at: at["quoted"] or " = ", text)
        said = Said.of(split.rstrip(" ("))
        lower = said.text.lower()
        lower = lower if len(lower) == len(said.text) else said.text
        for number, mark in enumerate(said.marks):
            lower = lower.replace(f'"{number} ', f"`{number} ") if mark == "`" else lower
        return cls(said, lower, frozenset(word[1:] for word in lower.split()))

    def may_fit(self, row: str) -> bool:
        return not any(map(self.words.isdisjoint, needed(row)))

    def filled(self, row: str) -> tuple[dict[str, str], dict[str, str]] | None:
        """What stands in the slots of ``row``, and in which quotes; ``None`` if it does not fit."""
        match = compiled(row).fullmatch(self.lower)
        if match is None:
            return None
        said: dict[str, str] = {}
        marks: dict[str, str] = {}
        for key, group in match.groupdict().items():
            role = key.rstrip("0123456789")
            if role == "about" and group:
                said[role] = said.get(role, "") + group
            elif group:
                role += "2" if role in said else ""
                said[role], marks[role] = self._text(*match.span(key))
        if "kind" in said:
            said["kind"] = next((word for word in said["kind"].split() if word in KINDS), "")
        if "alias" in said:
            said["module"] += f" as {said['alias']}"
        if "from" in said:
            said["item"], said["module"] = said["module"], said["from"]
            marks["item"], marks["module"] = marks["module"], marks["from"]
        said["about"] = said.get("about", "") + said.get("unit", "") + said.get("unit2", "")
        if not re.search(r"\b[wk]\w", said["about"]):
            del said["about"]  # "the string", "every"
        return said, marks

    def _text(self, start: int, end: int) -> tuple[str, str]:
        tokens = self.said.text[start:end].split()
        if len(tokens) == 1 and tokens[0][0] == '"':
            number = int(tokens[0][1:])
            return self.said.quoted[number], self.said.marks[number]
        words = (self.said.quoted[int(t[1:])] if t[0] == '"' else t[1:] for t in tokens)
        return re.sub(r" (?=[,\]])", "", " ".join(words)), ""


_SPLIT = re.compile(
    rf"(?P<quoted>{QUOTED})"
    r"|(?<=\w) ?= ?(?=[-\d]|(?:None|True|False)\b)"
)


@cache
def compiled(row: str) -> re.Pattern[str]:
    """A row as a pattern of a line in lower case; each slot is a group, ``old1``, ``kind2``."""
    numbers = iter(range(100))

    def written(match: re.Match[str]) -> str:
        word = match[0]
        if word.isspace():
            return ""
        if word in PHRASES:
            return f"(?:{_PIECE.sub(written, PHRASES[word])})"
        if slot := SLOTS.get(word):
            role = next((role for role in _ROLES if word.startswith(role.upper())), "")
            role = {"WORDS": "about", "LEAD": "about", "UNIT": "unit"}.get(word, role)
            return f"(?P<{role}{next(numbers)}>{slot})" if role else f"(?:{slot})"
        if word == "KIND":
            return f"(?:{BEFORE_KIND}(?P<kind{next(numbers)}>{A_KIND})(?:l(?:called|named) )?)"
        return _SIGNS.get(word) or f"(?:.{_LITERAL.sub(lambda at: re.escape(at[0]), word)} )"

    return re.compile(_PIECE.sub(written, row))


_PIECE = re.compile(
    r"->|\s+|[A-Z]{2,}(?![\w.])|(?:\(\)|[^\s()|*,:?])(?:\(\)|[^\s()|*,:])*(?<!->)|[()|*,:?]"
)
_LITERAL = re.compile(r"[^\w\[\]?]+|\(\)")
_SIGNS = {
    **{sign: sign for sign in ")|?*"},
    "(": "(?:",
    ";": "(?:,[,;:.(-] )",
    ",": "(?:,[,;:.(-] )?",
    ":": "(?:,: )",
    "->": "[~>] ",
}
_ROLES = "old new owner place module item type error value level quoted parameter alias from name".split()  # noqa: SIM905
_LONGEST = 300  # characters of such a sentence


def _may_be_meant(sentence: Sentence) -> bool:
    """Whether what stands in the slots can be what they are for."""
    kind, said, marks, wish = sentence.kind, sentence.said, sentence.marks, sentence.wish
    if narrow(wish.asides, said.values(), is_of_one=kind.name in _OF_ONE_PLACE):
        return False
    names = [role for role in kind.names if role in said]
    if said.get("unit2", said.get("unit")) != said.get("unit"):
        return False  # "2 threads instead of 4 processes"
    if not all(NUMBER.fullmatch(said[role]) for role in kind.numbers if role in said):
        return False
    if kind.name != "add-import" and not all(A_NAME.fullmatch(said[role]) for role in names):
        return False
    if wish.place and kind.name not in _IN_A_PLACE:
        return False
    if kind.name in _DOUBTED and _DOUBTED[kind.name](sentence):
        return False
    if "type" in said and not (marks["type"] or _A_TYPE.match(said["type"])):
        return False
    bare = {said[role].lower() for role in names if not marks[role]}
    if bare & _NO_NAMES or any(word.endswith("ly") for word in bare if kind.name == "add-import"):
        return False
    new = {said["new"].lower()} if "new" in names else set()
    if not sentence.is_taught and bare & FUNCTION_WORDS | (bare - new) & (KINDS | LABELS | SIGNS):
        return False
    return len(names) > 1 or "kind" in said or kind.name == "add-import" or not bare & _NOUNS


def _doubted_rename(one: Sentence) -> bool:
    """Texts in quotes, a type behind an arrow, and "print -> log", which is about calls."""
    if one.is_naming:
        return False
    are_texts = {one.marks["old"], one.marks["new"]} <= {'"', "'"}
    return are_texts or one.said["new"].lower() in TYPES or bool(_A_CALL.fullmatch(one.said["old"]))


def _doubted_word(one: Sentence) -> bool:
    """No rename is "fetch -> int", nor "replace logging with print"."""
    words = (one.said["old"], one.said["new"])
    return any(
        word.lower() in TYPES or _A_CALL.fullmatch(word) or CASE_STYLE.fullmatch(word)
        for word in words
    )


def _doubted_token(one: Sentence) -> bool:
    """Words that say what something is, not what it is called: "change the loop to a comprehension"."""
    old, new = one.said["old"], one.said["new"]
    if one.marks["old"] in ("'", '"') or not re.search(r"\w", old):
        return True  # a text
    is_value = one.kind.name != "replace-a-word" and new.lower() in _VALUES
    bare = [] if one.marks["old"] else [old]
    if not (one.marks["new"] or is_value):
        bare.append(new)
    return any(
        word.lower() in _NO_WORDS or _A_CALL.fullmatch(word) or CASE_STYLE.fullmatch(word)
        for word in bare
    ) or (new in bare and new.lower() in TYPES)


_VALUES = frozenset(["on", "off", "yes", "no", "true", "false", "none", "null", "nil"])


def _doubted_text(one: Sentence) -> bool:
    """Names in backticks are no strings, and what is set is none either."""
    old = re.escape(one.said["old"])
    if re.match(rf"set (?:the )?[`'\"]?{old}[`'\"]? (?:to|=) ", one.wish.text, re.IGNORECASE):
        return True
    are_code = one.marks["old"] == one.marks["new"] == "`"
    return are_code and all(A_NAME.fullmatch(one.said[role]) for role in ("old", "new"))


def _doubted_number(one: Sentence) -> bool:
    """The 4 of "2 spaces instead of 4" may stand in any line."""
    about = (word[1:] for word in one.said.get("about", "").split())
    return not SIGNS.isdisjoint((one.said.get("old", "").lower(), *about))


def _doubted_lines(one: Sentence) -> bool:
    """Lines with a print are statements; with 'print', lines."""
    return bool(_A_CALL.fullmatch(one.said["old"])) and one.marks["old"] not in ("'", '"')


def _doubted_definition(one: Sentence) -> bool:
    is_parameter = one.said.get("kind", "").startswith(("param", "arg"))
    if any(_ITS_USES.fullmatch(aside.text) for aside in one.wish.asides):
        return True
    return is_parameter or one.said["old"].lower() in _NO_DEFINITIONS | SIGNS


# "Delete f and its calls": what becomes of these takes understanding.
_ITS_USES = re.compile(
    r"(?:with|and|including|in|at)\b.*\b(?:usages?|uses|references|callers|calls|occurrences|call sites)"
)


def _doubted_import(one: Sentence) -> bool:
    return one.said["module"].lower() in _NO_MODULES


_DOUBTED = {
    "rename": _doubted_rename,
    "rename-a-word": _doubted_word,
    "set-value": _doubted_token,
    "change-a-word": _doubted_token,
    "replace-a-word": _doubted_token,
    "replace-string": _doubted_text,
    "replace-number": _doubted_number,
    "delete-lines": _doubted_lines,
    "delete-function": _doubted_definition,
    "add-import": _doubted_import,
}
_A_CALL = re.compile(r"(?:print|println|printf|console\.log)(?:\(\.*\))?")
_NAMING = re.compile(r"name|called|relabel", re.IGNORECASE)
_TAUGHT_IN_A_PLACE = ("rename", "replace-string", "replace-number")
_IN_A_PLACE = frozenset(
    """
    rename rename-a-word replace-string replace-number delete-comments delete-prints delete-lines delete-docstrings
    f-strings quotes with-open print-to-logging set-value change-a-word replace-a-word
    """.split()  # noqa: SIM905
)
_OF_ONE_PLACE = frozenset(
    """
    add-import add-docstring add-type-hint add-logging wrap-try add-parameter early-return delete-function
    """.split()  # noqa: SIM905
)
_A_TYPE = re.compile(
    r".*[A-Z.\[|_\d]|(?:int|float|str|bytes|bool|list|dict|set|tuple|object|type|complex|range|string|integer|boolean|dictionary|nothing)\b"
)
_NO_NAMES = PRONOUNS | frozenset(
    "return all missing needed twice once none true false null nil undefined default unused obsolete".split()  # noqa: SIM905
)
_NO_DEFINITIONS = frozenset(
    """
    hints hint annotations annotation checks checking errors self print print() decorator decorators
    docstring docstrings
    """.split()  # noqa: SIM905
)
_NOUNS = frozenset(
    """
    code function functions method methods class classes variable variables file comments comment
    docstrings docstring prints imports import tests test lines line duplicates unused whitespace
    dead bug bugs error errors type types hints hint logging the a an and or something
    loop loops string strings number
    """.split()  # noqa: SIM905
)
_NO_WORDS = FUNCTION_WORDS | PRONOUNS | KINDS | SIGNS | _NOUNS | _NO_DEFINITIONS


def _is_certain(sentence: Sentence) -> bool:
    """Whether what the sentence names can be nothing else, so that words alone may decide."""
    name, said, marks = sentence.kind.name, sentence.said, sentence.marks
    if name in ("delete-prints", "delete-comments"):
        return True
    if name == "add-import":
        return not _NO_MODULES.intersection(text.lower() for text in said.values())
    is_naming = name == "rename"
    if is_naming and any(CASE_STYLE.fullmatch(said[role]) for role in ("old", "new")):
        return False
    if name == "replace-string" and not has_letters_or_signs(said["old"]):
        return False
    # A new name may be any word; what is in the buffer has to be certain.
    roles = ["old"] if is_naming and said["new"].lower() not in PRONOUNS else ["old", "new"]
    is_setting = sentence.kind.names == ("old",) and "new" in sentence.kind.numbers
    bare = is_naming or is_setting or "kind" in said
    # "rename value to amount" says of a word that it is a name.
    is_said = is_naming and sentence.wish.text.lower().startswith("rename ")
    ordinary = FUNCTION_WORDS if is_said else FUNCTION_WORDS | KINDS | LABELS
    return all(
        marks[role] or is_code_like(said[role]) or (bare and said[role].lower() not in ordinary)
        for role in roles
        if role in said
    )


# "Add the missing import": there are modules called "types" and "string", but none called so.
_NO_MODULES = FUNCTION_WORDS | frozenset(
    "correct missing necessary needed required unused fails failed breaks works hook hooks guard guards order".split()  # noqa: SIM905
)


def meaning_of(instruction: str) -> Meaning:
    """What the instruction asks for, if it is one of these sentences and nothing else can be meant."""
    sentence = deciding(instruction)
    return Open() if sentence is None else sentence.meaning


def deciding(instruction: str) -> Sentence | None:
    """The sentence whose meaning the instruction has; ``None`` if that is open."""
    found = sentences_of(instruction)
    likely = next((one for one in found if isinstance(one.meaning, Likely)), None)
    return next((one for one in found if not isinstance(one.meaning, Open | Likely)), likely)


def kind_of(
    instruction: str, among: Collection[str], is_defined: Callable[[str], bool]
) -> str | None:
    """The kind of edit, of these, that the instruction asks for; is_defined: whether the buffer defines a name."""
    taken = (s.kind.name for s in sentences_of(instruction) if s.is_taken(is_defined))
    return next((name for name in taken if name in among), None)


def in_plain_words(instruction: str) -> str:
    """The same request in words that the embedded model was taught, if it is one of these sentences.

    "Substitute 3 for 2" and "from now on 2 is 3" become "replace 2 with 3".
    """
    for sentence in sentences_of(instruction):
        if sentence.is_taught and not sentence.kind.is_put:
            return sentence.gist or instruction
        return _put(sentence)
    return instruction


def gist_in(instruction: str) -> str:
    """The plain sentence that the instruction was taken for, empty if it is one."""
    return next((sentence.gist for sentence in sentences_of(instruction)), "")


def _put(sentence: Sentence) -> str:
    said = {"error": "", "import_": "import", **sentence.said}
    if "item" in said:
        said["import_"] = f"import {said['item']} from"
    texts = {f"{role}_text": quoted(text) for role, text in said.items()}
    plain = sentence.kind.plain
    plain = plain if said.get("kind") else plain.replace("{kind} ", "")
    words = plain.format(**said, **texts).rstrip() or sentence.wish.text
    return f"{words} in {sentence.place}" if sentence.place else words
