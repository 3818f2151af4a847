"""Of what kinds of code an instruction speaks, by its words alone, also where no row of the table reads it.

``editd.intent`` reads a sentence as a whole, or not at all. For a check less is enough: that a sentence is about
logging calls, of which definitions, and about nothing else. Knows no buffer and no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from editd.intent import parse
from editd.intent.english import NUMBER, QUOTED, is_code_like
from editd.intent.lexicon import SAYS_NOTHING
from editd.syntax.constructs import ConstructKind

_KINDS: dict[ConstructKind, re.Pattern[str]] = {
    "docstring": re.compile(
        r"\bdoc-?strings?\b|\bdocs?\b|\bdocument(?:ed|ing|ation)\b|\bundocumented\b|\bdescrib(?:e|es|ed|ing)\b"
        r"|(?:^|\b(?:please|to|and|just|should|must|you|let's|properly) |[,;:] ?)document\b"
    ),
    "log": re.compile(
        r"\blog(?:s|ged|ging|ger)?\b(?! (?:in|out)\b)"
        r"|\b(?:debug|info|warning|error|critical)[- ](?:level )?(?:message|line|entry|call)s?\b"
    ),
    "try": re.compile(
        r"\b(?:try|catch\w*|guard\w*|except(?:s|ion|ions)?|handle[sd]?|handling|raised|crash\w*|swallow\w*|blows? up)\b"
        r"|\berrors?\b(?! (?:level|log|message)\w*)"
    ),
    "type": re.compile(
        r"\b(?:types?|typed|typing|annotat\w+|hints?|hinted|returns|returning|return type|declared?|signature)\b"
        r"|\b(?:mark\w* .*\bas|always (?:takes?|receives?|gets?)|(?:takes?|receives?|accepts?|is) only) (?:an? )?"
        r"(?:int|float|str|bytes|bool|dict|list|set|tuple|object|none|callable|path)\b(?! of\b)"
    ),
    "import": re.compile(
        r"\b(?:from-)?import(?:s|ed|ing)?\b|\bnameerror\b"
        r"|\b(?:need|want|use|get|grab|pull|bring)\w* (?:in )?(?:the )?[\w.]+ (?:in )?(?:from|out of) [\w.]+$"
    ),
    "print": re.compile(r"\bprint\w*\b|\bconsole\.\w+"),
    "comment": re.compile(r"\bcomments?\b|\bcomment-free\b"),
    "f-string": re.compile(
        r"\bf[- ]?strings?\b|\.format\b|\bstring formatting\b|\bformatted strings?\b"
    ),
}
_ADDED: frozenset[ConstructKind] = frozenset(["docstring", "log", "try", "type", "import"])
_TYPE_ALONE = re.compile(r"\b(?:types?|typed|annotat\w+|hints?|hinted|signature)\b")
# "don't touch the comments", "leave the docstrings alone"
_SPARED = re.compile(
    r"\b(?:(?:don't|do not|never|without) (?:touch|chang|modif|alter|edit|remov|delet)\w*|leave|keep)\b(?: \w+){0,3}"
)
_REMOVING = re.compile(
    r"\b(?:delet\w*|remov\w*|drop(?:s|ped|ping)?|get rid|eras\w*|eliminat\w*|strip(?:ped|ping)?|prun\w*|throw\w* (?:\w+ )?(?:away|out)|cut|clean\w*"
    r"|ditch\w*|kill|nuke|purg\w*|scrub|discard\w*|trash|toss|take\w* out|clear\w* out|rip\w* out|no more|comment-free|free of|rm|zap"
    r"|(?:should|must|can|may|has to|have to|needs? to) (?:go|disappear|vanish|leave)|shouldn't be any"
    r"|(?:don't|do not) (?:want|need)|no longer (?:want|need)\w*|^(?:please )?no)\b"
)
_EVERY = re.compile(
    r"\b(?:all|every|each|any|everywhere|whole|entire|throughout|no more|comment-free|no|none|wherever|anywhere)\b"
)
_RESULT = re.compile(r"\breturn\w*\b|\bresult\b")
_WHOLE = re.compile(
    r"\b(?:body|bodies|contents?|everything|whole|entire|wrap\w*|surround\w*|enclos\w*|around|inside)\b"
)
_IN_BRANCH = re.compile(
    r"\b(?:if|fails?|failure|loop|iteration|branch|before (?:it )?return\w*|end|exit\w*|leav\w*|except\w*|errors?(?! (?:level|log|message|call|line)))\b"
)
_LEVEL = re.compile(
    r"\b(?:at|severity|level|logging\.)\s*[`'\"]?(debug|info|warning|error|critical)\b"
    r"|\b(debug|info|warning|error|critical)[`'\"]?[- ](?:level|logging|log|message|call|line|entry)\b"
)
# What begins another clause. A comma in a list of names does not.
_CLAUSE = re.compile(
    r"[;\n:]|[.!?](?=\s|$)|,(?! x\b)|\b(?:and|then|also|plus|so that|because|since)\b|[–—]"
)
# Where a sentence asks for anything else, or for the contrary.
_OTHER = re.compile(
    r"\b(?:refactor\w*|restructur\w*|renam\w*|extract\w*|move|moving|split\w*|implement\w*|creat\w*|optimi\w*"
    r"|tests?\b(?! x)|unused|usages?|fix(?:e[sd]|ing)?(?! (?:that|this|it)\b)|sort(?:ed)?|comment out|uncomment\w*|parameters? to x|no longer need)\b"
    r"|\breplac\w* (?:the )?prints?\b|\bprints? (?:with|by|to) log"
)
# "fix the typos in the comments": the code stays.
_REWORDING = re.compile(
    r"\b(?:fix|rewrite|translate|improve|correct|update|reword|shorten|clarify|replace|convert|simplify|spell-?check|change)\w* "
    r"(?:(?:the|all|every|each|these|those|this|my|our|any|typos?|spelling|grammar|mistakes?|wording|text|in|of|x|x's) )*"
    r"(?:doc-?strings?|comments?)\b(?! and)"
)
_REMAKING = re.compile(r"\b(?:convert\w*|rewrit\w*|simplif\w*|replac\w*)\b")
_EDITING = re.compile(
    r"\b(?:add|make|use|change|fix|replace|remove|delete|drop|write|improve|speed|retry|support|allow|raise|check|validate|update"
    r"|turn|set|cache|sort|print|return|call|put|insert|rename|convert|handle|log|document|faster|cleaner|simplify|reuse|swap)\b"
)
_HARMLESS = frozenset(["return", "call", "use", "put", "make", "fix", "raise"])
_BACK = re.compile(r"\b(?:it|them|those|these|that|ones?)\b")
_ERROR = re.compile(r"[`'\"]?\b[A-Z]\w*(?:Error|Exception|Interrupt|Iteration)\b[`'\"]?")
_A_RESULT = re.compile(
    r"\b(?:returns?|returning|gives?|give back|gets?|fall(?:s|ing)? back (?:to|on)|yields?|result in|answer(?:s|ed)?(?: with)?) "
    r"[`'\"]?(None|True|False|\[\]|\{\}|\(\)|-?\d[\d.]*\d|\d|\"\"|'')(?![\w.])"
)
_SOURCE = re.compile(
    r"([^\W\d][\w.]*)[`'\"]? \(?(?:from|out of) [`'\"]?([^\W\d][\w.]*)(?<!\.)[`'\"]?(?!\w)"
)
_SAYS_NOTHING = SAYS_NOTHING | {"import", "imports", "from-import", "names", "standard", "stdlib"}
_OF_LIBRARIES = re.compile(r"(?:log|logging|logger|print|console|slog|fmt)\b")
_BEGINS = re.compile(r"[A-Z][a-z]*(?:'\w+)?")  # as a sentence does, in English
_VALUE = re.compile(rf"{QUOTED}|(?<![\w.])-?\d[\w.]*(?<![.])|[\w$.]*[\w$]")


@dataclass(frozen=True, slots=True)
class Request:
    """The kinds of code, the names and the values of which an instruction speaks.

    kinds: of code, none if they speak of anything else as well. sources: a name with the module that it is said to be from.
    names: words that may name a definition, without owners. quoted: as in ``Parsed``. values: quoted texts, numbers and
    words that can only be code, in their order. results: values that something is to return. level: of a logging call.
    is_removal: something is to go. is_every: of what is to go or to come nothing is left out. is_result: what a function
    returns is mentioned. is_whole: all of a function's body is. is_every_call: no branch of it is. is_plain: no clause may
    ask for more than the kinds.
    """

    kinds: frozenset[ConstructKind]
    sources: tuple[tuple[str, str], ...]
    names: frozenset[str]
    quoted: tuple[str, ...]
    values: tuple[str, ...]
    results: tuple[str, ...]
    level: str
    is_removal: bool
    is_every: bool
    is_result: bool
    is_whole: bool
    is_every_call: bool
    is_plain: bool


@lru_cache(maxsize=16)
def request_of(instruction: str) -> Request:
    """The request of an instruction: the kinds of code, names, values and restrictions in its words. The last 16 are
    remembered.
    """
    parsed = parse(instruction)
    words = _without_names(instruction)
    more = [clause for clause in _CLAUSE.split(words) if clause.strip()][1:]
    is_removal = bool(_REMOVING.search(words))
    level = _LEVEL.search(instruction.lower())
    return Request(
        _kinds_in(words, is_removal=is_removal),
        _sources(instruction),
        frozenset(
            name.rpartition(".")[2].removesuffix("()")
            for name in (*parsed.names, *parsed.bare_words, *parsed.quoted)
        ),
        parsed.quoted,
        _values(instruction),
        tuple(_A_RESULT.findall(instruction)),
        (level[1] or level[2]) if level else "",
        is_removal,
        bool(_EVERY.search(words)),
        bool(_RESULT.search(words)),
        bool(_WHOLE.search(words)),
        not _IN_BRANCH.search(words),
        not any(_is_more(clause) for clause in more),
    )


def _kinds_in(words: str, *, is_removal: bool) -> frozenset[ConstructKind]:
    """The kinds of code of which ``words`` speak; none if they ask for anything else as well. Kinds that are to be left
    alone do not count.

    words: an instruction in lower case without its names (``_without_names``). is_removal: the instruction deletes; in
    others a comment beside a kind that is added, and a type beside a ``try``, do not count.
    """
    spared = {kind for kind in _KINDS for at in _SPARED.finditer(words) if _is_about(kind, at[0])}
    kinds = frozenset(kind for kind in _KINDS if kind not in spared and _is_about(kind, words))
    if _REWORDING.search(words):
        return kinds & {"comment", "docstring"}
    if "f-string" in kinds:
        return frozenset() if _OTHER.search(words) else frozenset(["f-string"])
    if _OTHER.search(words) or _REMAKING.search(words):
        return frozenset()
    if is_removal:
        return kinds - {"try"} if "an error" in words else kinds
    if kinds & _ADDED:
        kinds -= {"comment"}
    if "try" in kinds and not _TYPE_ALONE.search(words):
        kinds -= {"type"}  # "returns None if it fails"
    return kinds


def _without_names(instruction: str) -> str:
    """The instruction in lower case with an ``x`` for each quoted text and each name that looks like code, and ``an
    error`` for names of exceptions; names such as ``logging`` and ``print`` stay.
    """
    parsed = parse(instruction)
    text = _ERROR.sub("an error", instruction)
    text = re.sub(QUOTED, " x ", text)
    for name in sorted({*parsed.quoted, *parsed.names}, key=len, reverse=True):
        if is_code_like(name) and not _OF_LIBRARIES.match(name):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "x", text)
    return text.lower()


def _sources(instruction: str) -> tuple[tuple[str, str], ...]:
    """Phrases such as "Path from pathlib" of an instruction, each as a name and its module."""
    pairs = _SOURCE.findall(instruction)
    return tuple(pair for pair in pairs if not any(word.lower() in _SAYS_NOTHING for word in pair))


def _values(instruction: str) -> tuple[str, ...]:
    """The quoted texts (without quotes), numbers and words of an instruction that can only be code, each once, in their
    order.
    """
    found = []
    for at in _VALUE.finditer(instruction):
        text = at[0]
        if re.fullmatch(QUOTED, text):
            found.append(text[1:-1])
        elif NUMBER.fullmatch(text) or (is_code_like(text) and not _BEGINS.fullmatch(text)):
            found.append(text)
    return tuple(dict.fromkeys(found))


def _is_about(kind: ConstructKind, words: str) -> bool:
    """Whether words in lower case speak of a kind of code."""
    return bool(_KINDS[kind].search(words))


def _is_more(clause: str) -> bool:
    """Whether a clause that is not the first may ask for something of its own: it has a verb of editing, mentions no
    kind of code, and does not only have something removed that it refers back to.
    """
    verbs = [verb for verb in _EDITING.findall(clause) if verb not in _HARMLESS]
    if _BACK.search(clause):  # "drop them"
        verbs = [verb for verb in verbs if not _REMOVING.search(verb)]
    return bool(verbs) and not any(_is_about(kind, clause) for kind in _KINDS)
