"""Descriptions of code in a request: "the line with --debug", "the chalk import", "lines 3 to 5", "git pull".

Knows the words, not the buffer: which lines fit is found in ``refactor.described_lines``. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from editd.intent.english import (
    ARTICLES,
    FUNCTION_WORDS,
    PRONOUNS,
    QUOTED,
    cut_quotes,
    is_code_like,
    plain_name,
)
from editd.intent.restrictions import excepts

_NOUNS = {
    "line": "line row",
    "import": "import require include use",
    "call": "call statement invocation print println printf log command instruction",
    "entry": """
        setting option key entry script dependency package library field attribute property variable var constant const
        declaration assignment member service volume item element flag job step target task section block table stage rule
        selector column alias style port parameter image header pragma directive mapping dependence module plugin argument arg
        dep prop attr key-value pair line-item env-var
        """,
    "route": "route endpoint url path handler view",
}
_PLURALS = {"entries": "entry", "dependencies": "dependency", "properties": "property", "libraries": "library",
            "aliases": "alias", "indices": "index"}  # fmt: skip
_KIND_OF = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_PRINTS = frozenset(["print", "println", "printf", "log"])
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_VAGUE = frozenset(
    """
    comment comments docstring docstrings loop loops branch condition check checks class classes function functions method
    methods test tests code bug error errors whitespace blank empty rest half part parts todo todos stuff things thing
    everything anything nothing unused unnecessary duplicate duplicates redundant dead imports prints types hints decorator decorators
    """.split()  # noqa: SIM905
)
_NOUN = "|".join(
    sorted({*_KIND_OF, *(f"{noun}s" for noun in _KIND_OF), *_PLURALS}, key=len, reverse=True)
)
_OF_LINES = re.compile(
    r"(?:the )?lines? (?:number |no\.? ?|#)?(?P<first>\d+)"
    r"(?:(?P<joint> ?[-–] ?| (?:to|through|until|till|up to|and) )(?:line )?(?P<last>\d+))?",
    re.IGNORECASE,
)
_LINES_AND_WORDS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<lines>{_OF_LINES.pattern})(?:,| \(| with| -) ?(?:the |i\.e\. the )?(?P<words>[^,]+?)\)?",
        rf"(?:the )?(?P<words>[^,]+?)(?:,| \(| in| on| at) ?(?:in |on |at )?(?P<lines>{_OF_LINES.pattern})\)?",
    )
)
_LEAD = r"(?P<many>(?:all |every |each |any |both )?(?:of )?)(?:the |this |that |those |these |our |my |an? )?(?P<count>(?:two|three|four|five|six|\d) )?"
_ADJECTIVES = r"(?:(?:whole|entire|old|unused|obsolete|dead|deprecated|legacy|useless|debug(?:ging)?|unneeded|stray|single|only|env|environment|npm|css|default|config) )*"
_LINE_WITH = re.compile(
    rf"{_LEAD}{_ADJECTIVES}(?P<noun>lines?|statements?|calls?|commands?|rows?) "
    r"(?P<how>with|w/|containing|that|which|where|about|mentioning|saying|for|reading|setting|calling|importing|printing|starting with|beginning with)"
    r"(?: (?P<verb>contains?|says?|has|have|mentions?|reads?|is|sets?|defines?|calls?|runs?|executes?|prints?|imports?|starts with|begins with|logs?))?"
    r" (?:the |an? )?(?:(?:text|word|words|string|phrase|variable|name) )?(?P<code>.+?)(?: (?:in it|on it|is set|is called|is printed|is defined|is imported))?",
    re.IGNORECASE,
)
_CODE_THEN_NOUN = re.compile(
    rf"{_LEAD}{_ADJECTIVES}(?P<code>.+?) (?:(?:dev|npm|env|environment|config|pip|css|yaml|json) )?(?P<noun>{_NOUN})(?: (?P<noun2>lines?|statements?|calls?|block|entry|entries))?",
    re.IGNORECASE,
)
_NOUN_THEN_CODE = re.compile(
    rf"{_LEAD}{_ADJECTIVES}(?P<noun>{_NOUN})(?: (?:lines?|statements?))? (?P<code>.+)",
    re.IGNORECASE,
)
_NOUN_OF_CODE = re.compile(
    rf"{_LEAD}{_ADJECTIVES}(?P<noun>{_NOUN})(?: (?:lines?|statements?))? (?:called|named|for|of|to|on|from) (?:the )?(?P<code>.+)",
    re.IGNORECASE,
)
_PRINT_WITH = re.compile(
    rf"{_LEAD}{_ADJECTIVES}(?P<noun>print|println|printf|log)(?: (?:line|statement|call))? "
    rf"(?:(?:that|which) (?:says|prints|shows|logs|outputs|reads|has)|saying|with|of|about) (?P<code>{QUOTED})",
    re.IGNORECASE,
)
_CODE_WITH = re.compile(  # of a directive: "the LABEL with the maintainer"
    rf"{_LEAD}{_ADJECTIVES}(?P<code>(?-i:[A-Z]{{3,}})) (?:with|containing|that has|that sets|for) (?:the |an? )?(?P<text>{QUOTED}|[\w.-]+)(?: in it)?",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?P<article>the )?(?P<code>.+)", re.IGNORECASE)
_WHERE = re.compile(
    r" (?:in|inside(?: of)?|within|from|of|under|below|for|out of|on) (?:the |my |our )?(?P<within>[`'\"]?[^\s`'\"()]+[`'\"]?(?:\(\))?)"
    r"(?: (?:list|section|block|table|rule|function|method|class|array|object|config|settings?|service|map|dict|group|hook|handler|struct|selector|step|job|target|component|test))?$"
)
_AT = re.compile(
    r" (?:at|on|near) the (?:very )?(?:end|bottom|top|start|beginning)(?: of (?:the |this )?(?:file|script|module|function|method|body|list|page))?$"
)
_BY_VERB = {
    "set": "entry",
    "define": "entry",
    "call": "call",
    "run": "call",
    "execute": "call",
    "import": "import",
}
_RETURNED = re.compile(
    r" (?:in|of|from) the (?:dict|dictionary|map|hash|object|list|array|table|value|struct)(?: (?:that|which))? (`?[^\W\d][\w.]*(?:\(\))?`?) (?:returns|builds|gives back|makes)$",
    re.IGNORECASE,
)
_NO_PLACE = frozenset("file code module script program buffer document it them there here".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Description:
    """The lines that a request is about.

    code: what stands on them; empty where they are given by number. noun: what they are said to be, in the singular; empty if
    nothing is said. text: one more text on the line, of lines by number words for what stands there. count: how many there are; 0 for as many as fit. first, last: line
    numbers from 1, 0 where none are said. is_bare: the code is a word that may be English.
    """

    code: str = ""
    noun: str = ""
    text: str = ""
    count: int = 1
    first: int = 0
    last: int = 0
    is_bare: bool = False

    @property
    def kind(self) -> str:
        """The kind of the noun: ``line``, ``import``, ``call``, ``entry`` (settings, fields, rules) or ``route``; else empty."""
        return _KIND_OF.get(self.noun, "")


def description_of(text: str) -> tuple[Description, str] | None:
    """The description that ``text`` is as a whole, and the name of the place that it is limited to,
    empty for none.

    ``None`` for a pronoun, for words that describe in another way ("the second loop", "the
    comments"), for an exception, several parts, and lines by number that are no range.
    """
    text = re.sub(r"\((?:\.\.\.|…)\)", "()", text.strip())
    text = _RETURNED.sub(r" in \1", text)
    if lines := _OF_LINES.fullmatch(text):
        return _numbered(lines)
    for form in _LINES_AND_WORDS:
        if (found := form.fullmatch(text)) and (range_ := _OF_LINES.fullmatch(found["lines"])):
            numbered = _numbered(range_)
            return numbered and (replace(numbered[0], text=found["words"]), "")
    hidden = re.sub(QUOTED, lambda at: "\0" * len(at[0]), text)
    if excepts(hidden) or re.search(r", (?:and|but|or)\b", hidden):
        return None
    whole = len(hidden)
    if at := _AT.search(hidden):
        whole = at.start()
    within = ""
    is_quoted = not hidden.strip("\0")
    where = None if is_quoted else _WHERE.search(text[:whole])
    named = _NOUN_OF_CODE.fullmatch(text[:whole])
    if where is not None and named is not None and where.start() < named.start("code"):
        where = None  # "the import of json"
    if where is not None and "\0" not in hidden[where.start() + 1 : where.start() + 3]:
        within = plain_name(where["within"])
        if within.lower() in _NO_PLACE:
            within = ""
        whole = where.start()
    described = _described(text[:whole].strip())
    return None if described is None else (described, within)


def _numbered(lines: re.Match[str]) -> tuple[Description, str] | None:
    """Lines by number, from 1, with an empty place; ``None`` for two that are joined by "and" and
    no neighbours, for a range that ends before it begins, and for line 0.
    """
    first, last = int(lines["first"]), int(lines["last"] or lines["first"])
    is_range = (lines["joint"] or "").strip() != "and" or last == first + 1
    if not 0 < first <= last or not is_range:
        return None
    return Description(count=0, first=first, last=last), ""


def _described(text: str) -> Description | None:
    """The description in ``text``, which names no place, by the first form that it has as a whole. Of a print with a
    quoted text ("the print of 'x'") the code is the word for the call, and the quoted text is the further text.

    ``None`` if ``text`` has none of the forms, or names code only by words for what it is.
    """
    for pattern in (
        _PRINT_WITH,
        _LINE_WITH,
        _NOUN_OF_CODE,
        _CODE_THEN_NOUN,
        _NOUN_THEN_CODE,
        _CODE_WITH,
        _CODE,
    ):
        found = pattern.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        code, quote = cut_quotes(parts["code"].strip())
        noun = (parts.get("noun") or "").lower()
        if not quote and set(code.lower().split()) <= ARTICLES | {"this", "that"}:
            continue  # "the println"
        # Several words that are no description have to be a whole line.
        is_whole_line = pattern is _CODE and " " in code
        if not quote and not is_whole_line and _is_vague(code):
            return None
        verb = re.sub(r"s$", "", (parts.get("verb") or parts.get("how") or "").lower())
        called = _BY_VERB.get(verb.removesuffix("ing").replace("sett", "set"), "") or _singular(
            noun
        )
        more = ""
        if pattern is _CODE_WITH:
            called, more = "line", cut_quotes(parts["text"] or "")[0]
        if called in _PRINTS and quote in ("'", '"'):
            code, more = called, code
        if pattern is _LINE_WITH and not quote:
            code = re.sub(rf" (?:{_NOUN})$", "", code)
        is_bare = pattern is _CODE and not (quote or parts["article"] or is_code_like(code))
        return Description(code, called, more, _count(parts, noun), is_bare=is_bare)
    return None


def _singular(noun: str) -> str:
    """The singular of a noun of the table; empty for no noun."""
    return _PLURALS.get(noun) or (noun if noun in _KIND_OF else noun.removesuffix("s"))


def _count(parts: dict[str, str | None], noun: str) -> int:
    """How many lines are meant: the number that is said, 2 for "both", 0 (any number) for "all", "every" and the like
    and for a plural, else 1.

    parts: the groups of the form. noun: the word for the lines, in lower case.
    """
    number = (parts.get("count") or "").strip().lower()
    many = (parts.get("many") or "").strip().lower()
    if number:
        return int(number) if number.isdigit() else _NUMBERS[number]
    if many.startswith("both"):
        return 2
    last = (parts.get("noun2") or noun).lower()
    is_plural = last in _PLURALS or (last not in _KIND_OF and last.endswith("s"))
    return 0 if is_plural or many.startswith(("all", "every", "each", "any")) else 1


def _is_vague(code: str) -> bool:
    """Whether a bare text says what something is rather than how it is written: it is empty, has only function words
    and pronouns, or any word such as "comments", "loop", "tests", "unused".
    """
    words = code.lower().split()
    ordinary = FUNCTION_WORDS | PRONOUNS
    return not words or set(words) <= ordinary or not _VAGUE.isdisjoint(words)
