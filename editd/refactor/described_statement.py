"""The one statement that words describe, where they do not name its code: "the snapshot gets deleted" for ``shutil.rmtree(snap)``.

Each word has to fit the statement: a word of its code (in any form, or the beginning of one), what kind of statement it is, or
another word for what it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from editd.intent.english import FUNCTION_WORDS
from editd.intent.evidence.filler import FILLER
from editd.intent.word_forms import are_forms, words_in
from editd.syntax.block_bodies import ENDLESS_HEAD
from editd.syntax.code import Code
from editd.syntax.places import Place
from editd.syntax.statements import StatementLines, all_statements, statement_at

_SHORTEST = 4  # letters of a word that may stand for a longer one
_FEWEST_KNOWN = 3  # words of which one fits a statement of the text
_RESEMBLING = 0.7  # how well another word for the same fits, where the same word does by 1
_BEGINNING = 2.0  # how well a word fits that a statement begins with, such as the name of a command
_NEARLY = 0.85  # of the most points are hardly less
_ALIKE = tuple(
    frozenset(words.split())
    for words in (
        "delete remove unlink rmtree rm del drop pop discard erase purge rmdir delete",
        "raise throw",
        "parse loads decode deserialize",
        "append add push insert",
        "sleep wait delay pause",
        "print output println printf echo",
        "store save write dump persist",
        "fetch get request load read",
        "exit quit",
        "directory folder dir mkdir",
        "start begin",
        "stop end terminate kill",
        "connect connection conn",
        "message msg",
        "response res resp",
        "request req",
        "error err exception",
        "config configuration cfg",
        "number num",
        "database db",
        "assignment assign set mark =",
        "return give",
        "call invoke run",
        "copy copyfile cp copytree",
        "rename move mv",
        "reset clear",
        "increment += ++",
        "decrement -= --",
    )
)
_KINDS = {
    "return": r"return\b",
    "throw": r"throw\b|raise\b",
    "raise": r"throw\b|raise\b",
    "continue": r"continue\b",
    "break": r"break\b",
    "loop": r"(?:async )?for\b|while\b|loop\b",
    "if": r"if\b|\} else if\b",
    "check": r"if\b|assert\b",
    "condition": r"if\b",
    "with": r"with\b",
    "try": r"try\b",
    "switch": r"switch\b|match\b",
    "assignment": r"[\w.$\[\]]+ [-+*/]?= ",
}
_IRREGULAR = {
    "thrown": "throw", "written": "write", "sent": "send", "built": "build", "made": "make", "read": "read", "gone": "go",
    "taken": "take", "caught": "catch", "found": "find", "kept": "keep", "run": "run", "ran": "run", "put": "put",
    "began": "begin", "begun": "begin", "shown": "show", "drawn": "draw", "given": "give", "spawned": "spawn", "left": "leave",
}  # fmt: skip
_HANDLER = re.compile(
    r"(?P<words>.+?) (?:in|of|inside|within) the (?P<name>\w+) (?:handler|route|endpoint|callback|hook|listener)",
    re.IGNORECASE,
)
_HAPPENS = re.compile(
    r"(?<=\w) (?:starts?|begins?|runs|is (?:run|called|executed|made|done|started|reached)|gets (?:called|run)|happens|comes)$",
    re.IGNORECASE,
)
_ENDLESS = re.compile(
    r"(?:the )?(?:endless|infinite|never-?ending|eternal|main) (?:for |while )?loop", re.IGNORECASE
)
_COUNTED = re.compile(
    r"\b(?:the )?(?:line|place|statement) where (?:the )?(?P<what>[\w.]+)(?: counter| count| number)? (?:goes up|is (?:increment|increas|bump|count)ed(?: up)?|gets (?:increment|increas|bump)ed|increases|rises)",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"(?:the )?`?(?P<name>[A-Za-z_]\w*)`? (?:is|has been|was|gets) (?:known|set|assigned|computed|calculated|defined|determined|built|initiali[sz]ed)"
)
_ARTICLE = re.compile(r"\b(?:the|an?|its?|that|this)\b")
_NESTED = re.compile(r"\b(?:(?P<inner>inner\w*)|outer\w*)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:is|are|was|were|been|gets?|got|has|have|had)(?: (?:already|just|actually|being|been))* (?P<verb>[a-z]+(?:ed|en|nt|t|de|ne|wn|rn|ne|read|run|put|set))$",
    re.IGNORECASE,
)
_GENERIC = frozenset("file files data value values object objects thing things".split())  # noqa: SIM905
_SAY_NOTHING = frozenset(
    """
    call calls line lines statement thing was were got gets been being actual actually really command request one block happens
    happened done new whole conversion operation part access own is are anything something goes
    """.split()  # noqa: SIM905
)
# With a number these say no more: "the 404 is sent".
_ANSWERING = frozenset(
    "send sent return returned respond response answer reply give throw code status http error".split()  # noqa: SIM905
)


def described_statement(words: str, code: Code, place: Place | None) -> StatementLines | None:
    """The lines of the only statement in ``place`` (by default in the text) that the words name by its code
    (``statement_at``), or that all of them fit; ``None`` if none or several do.
    """
    words = _HAPPENS.sub("", words)
    if _ENDLESS.fullmatch(words):
        return _endless_loop(code, place)
    if counted := _COUNTED.search(words):
        what = counted["what"]
        return statement_at(f"{what} +=", code, place) or statement_at(f"{what}++", code, place)
    if known := _KNOWN.fullmatch(words):
        return statement_at(f"{known['name']} =", code, place)
    if handler := _HANDLER.fullmatch(words):
        inside = _inside_of(handler["name"], code)
        return described_statement(handler["words"], code, inside) if inside and not place else None
    found = statement_at(words, code, place)
    if found is None and re.fullmatch(r"(?:the )?[\w.$]+", words):
        found = statement_at(f"{words} call", code, place)
    if found is not None:
        return found
    needed = _spoken_in(words)
    if numbers := re.findall(r"(?<![\w.])\d[\d.]*", words):
        needed = [x for x in needed if x not in _ANSWERING] + numbers
    if not needed:
        return None
    first, last = (place.first, place.last) if place else (0, len(code.text))
    heads = _heads_of(list(all_statements(code, first, last)), code)
    telling = [x for x in needed if x not in FILLER]
    for words_needed, may_resemble in (
        (needed, False),
        (needed, True),
        ([x for x in needed if x not in _GENERIC], False),
        (telling, False),
        (telling, True),
    ):
        fitting = {
            statement
            for statement, head in heads.items()
            if words_needed
            and all(_fits(word, head, may_resemble=may_resemble) for word in words_needed)
        }
        if fitting:
            return fitting.pop() if len(fitting) == 1 else None
    return None


def likeliest_statement(
    words: str, code: Code, places: Sequence[Place], hints: str = ""
) -> StatementLines | None:
    """The one statement in ``places`` (in the text if they are none) that has most of what the words say, be it by its code or by another
    word for it; ``None`` if no or several are so, or it has less than a third of that.

    A word that fits few statements counts more. A last word for a kind of statement ("loop") leaves only those, and of a block all lines
    count. hints: further words, which choose among those that are equal.
    """
    statements = list(_statements_in(code, places))
    heads = _heads_of(statements, code)
    spoken = _spoken_in(words) or re.findall(r"[^\W\d]\w+", _ARTICLE.sub("", words.lower()))
    verb = _DONE.search(words)
    if kind := next((p for k, p in _KINDS.items() if spoken[-1:] and are_forms(k, spoken[-1])), ""):
        statements = [x for x in statements if re.match(kind, heads[x])]
        heads = {x: "".join(code.lines[x.start : x.end]).strip() for x in statements}
        if nested := _NESTED.search(words):
            statements = _nested(statements, is_inner=nested["inner"] is not None)
    elif verb:
        done = _IRREGULAR.get(verb["verb"].lower(), verb["verb"].lower())
        statements = list(_fitting(done, heads)) or statements
    telling = [x for x in spoken if x not in FILLER or (verb and x == spoken[-1])] or spoken
    fit = {word: _fitting(word, heads) for word in telling}
    known = {word: fitting for word, fitting in fit.items() if fitting}
    if not known or len(known) * _FEWEST_KNOWN < len(fit):
        return None
    score = {
        statement: sum(
            fitting[statement] / len(fitting) for fitting in known.values() if statement in fitting
        )
        for statement in statements
    }
    most = max(score.values(), default=0)
    best = [x for x, points in score.items() if points >= most * _NEARLY and points]
    if len(best) > 1:
        around = {x: _text_around(x, heads, code) for x in best}
        near = {x: len(_spoken_near(f"{words} {hints}", around[x])) for x in best}
        best = [x for x, count in near.items() if count == max(near.values())]
    return best[0] if len(best) == 1 else None


def _nested(statements: Sequence[StatementLines], *, is_inner: bool) -> list[StatementLines]:
    """Of statements with blocks those inside another one, or those that have one inside."""
    pairs = [(x, y) for x in statements for y in statements if x.start < y.start and y.end <= x.end]
    return list(dict.fromkeys(inner if is_inner else outer for outer, inner in pairs))


def _text_around(statement: StatementLines, heads: Mapping[StatementLines, str], code: Code) -> str:
    """The code of a statement, the line above it, and the heads of the blocks and the definition that it stands in."""
    holding = [
        head for x, head in heads.items() if x.start < statement.start and statement.end <= x.end
    ]
    names = [x.name for x in code.definitions if x.start <= statement.start < x.end]
    above = code.lines[statement.start - 1] if statement.start else ""
    return " ".join([heads[statement], above, *holding, *names])


def _spoken_near(words: str, text: str) -> set[str]:
    """The words that fit a text, in any form."""
    return {x for x in _spoken_in(words) if _fits(x, text, may_resemble=False)}


def _spoken_in(words: str) -> list[str]:
    """The words that may describe a statement, in lower case, each in the form that code has."""
    spoken = (x.lower() for x in re.findall(r"[^\W\d][\w$]*", re.sub(r"['’]s\b", "", words)))
    found = [x for x in spoken if x not in _SAY_NOTHING and x not in FUNCTION_WORDS]
    found = [_IRREGULAR.get(x, x) for x in found]
    kinds = re.findall(r"\b(?:return|throw|raise|if|for|while|with)\b", words.lower())
    return [*found, *(x for x in kinds if x not in found)]


def _statements_in(code: Code, places: Sequence[Place]) -> Iterator[StatementLines]:
    """Yield the statements of each place, or of the text."""
    for first, last in [(x.first, x.last) for x in places] or [(0, len(code.text))]:
        yield from all_statements(code, first, last)


def _heads_of(statements: Sequence[StatementLines], code: Code) -> dict[StatementLines, str]:
    """The code of each statement, of one that holds others its first line."""
    return {
        x: _head(x, code, holds_others=any(x.start < y.start < x.end for y in statements))
        for x in statements
    }


def _fitting(word: str, heads: Mapping[StatementLines, str]) -> dict[StatementLines, float]:
    """The statements that a word fits, with how well it does: 1 if it is a word of theirs, less if another word is."""
    exact = {
        x: _BEGINNING if re.match(rf"{re.escape(word)}\b", head) else 1.0
        for x, head in heads.items()
        if _fits(word, head, may_resemble=False)
    }
    other = {x: _RESEMBLING for x, head in heads.items() if _fits(word, head, may_resemble=True)}
    return {**other, **exact}


def _endless_loop(code: Code, place: Place | None) -> StatementLines | None:
    """The lines of the only loop in ``place`` (by default in the text) that has no condition; ``None`` for none or several."""
    first, last = (place.first, place.last) if place else (0, len(code.text))
    statements = all_statements(code, first, last)
    found = [x for x in statements if ENDLESS_HEAD.match(code.lines[x.start].strip())]
    return found[0] if len(found) == 1 else None


def _inside_of(name: str, code: Code) -> Place | None:
    """The one statement that holds others and has ``name`` in its first line: ``app.post("/", () => {``; ``None`` for none or several."""
    statements = list(all_statements(code, 0, len(code.text)))
    holding = [x for x in statements if any(x.start < y.start < x.end for y in statements)]
    found = [x for x in holding if name.lower() in words_in(code.lines[x.start])]
    if len(found) != 1:
        return None
    starts = code.line_starts
    return Place(
        name, found[0].start + 1, found[0].end, starts[found[0].start + 1], starts[found[0].end]
    )


def _head(statement: StatementLines, code: Code, *, holds_others: bool) -> str:
    """The code of a statement, of one with a block or other statements in it its first line."""
    is_short = statement.is_block or holds_others
    lines = code.lines[statement.start : statement.start + 1 if is_short else statement.end]
    return "".join(lines).strip()


def _fits(word: str, head: str, *, may_resemble: bool) -> bool:
    """Whether a word fits the code of a statement. may_resemble: another word for the same counts, too."""
    if (
        kind := _KINDS.get(word) or next((p for k, p in _KINDS.items() if are_forms(k, word)), "")
    ) and re.match(kind, head):
        return True
    return any(_is_same(word, other, may_resemble=may_resemble) for other in _words_of(head))


def _words_of(head: str) -> Iterator[str]:
    """Yield the words in a statement's code, and its signs of assignment."""
    yield from words_in(head)
    yield from re.findall(r"(?<![=!<>])[-+]?=(?!=)|\+\+|--", head)


def _is_same(word: str, other: str, *, may_resemble: bool) -> bool:
    """Whether two words are forms of one, one begins with the other, or (may_resemble) both may stand for the same."""
    if are_forms(word, other):
        return True
    short, long = sorted((word, other), key=len)
    if len(short) >= _SHORTEST and long.startswith(short):
        return True
    return may_resemble and any(
        any(are_forms(word, x) for x in group) and any(are_forms(other, x) for x in group)
        for group in _ALIKE
    )
