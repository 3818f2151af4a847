"""Reads a chore, an edit that names no text ("sort the imports"), from its words in whatever order they stand.

A chore is an edit of all places of one kind: sort the imports, use f-strings. Each word of the request must be known, so
that nothing that narrows it is passed over: "sort the imports by length" has a word too many. Where in a file is no part
of a chore; ``context`` takes that off before. The answer is a plain sentence, which a row matches. Knows no buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent import lexicon
from editd.intent.english import KINDS, EnglishToken, tokens_of
from editd.intent.lexicon import words_of
from editd.intent.restrictions import excepts

# Words that say nothing elsewhere, and in a chore may mean a part of it.
_PARTS = KINDS | words_of(
    "some one ones or who whoever wherever test able care mind right body bit functions thing things"
)
_SECTIONS_FIRST = re.compile(
    r"\b(?:stdlib|(?:standard )?library|builtins?) (?:imports )?first\b|\bfirst (?:the )?(?:stdlib|standard)\b"
)
# A place, which would be passed over: "in label"
_PLACE = re.compile(
    r"\b(?:in|inside|within) (?!(?:an?|the|this|these|all|alphabetical|order|with|here|my|our|double|single)\b)"
)
_OPENING = re.compile(r"(?:[\w.]*\.)?open(?:\(.*\))?")  # tarfile.open, open()
_NO_EXCEPTION = re.compile(r"\bthird[ -]party\b")
_AS_IT_IS = "as (?:is|(?:they|it) (?:is|are))|alone|untouched|unchanged|in place"
_SOME = r"(?:one|some|two|a few|several|a couple)"
# What says in other words what the chore does by itself.
_IDIOMS = (
    (re.compile(r"(?<!\S)(?:\"(?:\.\.\.|…|x)\"|[\"“”])(?=[\s.,;)]|$)"), "double quotes"),
    (re.compile(r"(?<!\S)(?:'(?:\.\.\.|…|x)'|['‘’])(?=[\s.,;)]|$)"), "single quotes"),
    (re.compile(r"([\"'])((?:double|single)(?: quotes)?)\1", re.IGNORECASE), r"\2"),
    (re.compile(r"^only (?=use (?:double|single) quotes?$)", re.IGNORECASE), ""),
    (re.compile(r"\b(?:not|no longer) in use\b", re.IGNORECASE), "unused"),
    (re.compile(r"\b(double|single)(?:-quoted)? ones\b", re.IGNORECASE), r"\1 quotes"),
    (re.compile(r"\b(\w+) (?:those|these)(?=[.!]?$)", re.IGNORECASE), r"\1 them"),
    (re.compile(r"\b(double|single)[- ]?(quote[sd]?|quoting)\b", re.IGNORECASE), r"\1 \2"),
    (re.compile(r"(?<=\w) [-–—]+ (?=\w)"), ", "),
    (re.compile(r" ?(?:->|=>|→) ?(?:out|away|gone)(?=[.!]?$)", re.IGNORECASE), ", delete them"),
    (
        re.compile(r"\b(?:bin|chuck|away with) (?=(?:it|them|those|the|all|any)\b)", re.IGNORECASE),
        "delete ",
    ),
    (
        re.compile(
            r"\b(?:the |any |all )?(unused|unneeded|unnecessary|superfluous) ones\b", re.IGNORECASE
        ),
        r"\1",
    ),
    (re.compile(r"\busing (?:lines?|statements?|directives?)\b", re.IGNORECASE), "usings"),
    (
        re.compile(  # their order in C#
            r"[,;:]? ?\(?(?:and |with )?(?:the )?system (?:ones|usings|namespaces) (?:first|on top|at the top)\)?",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r"\b(switch|change|convert|move|migrate|take|bring) (?:all of )?(?:this|the|our|my) (?:whole |entire )?(?:class|file|module|script|code) (?=(?:over )?(?:from|to)\b)",
            re.IGNORECASE,
        ),
        r"\1 ",
    ),
    *(
        (
            re.compile(
                rf"^(?P<before>{before})[,;.:(–—-]+ ?(?:(?:but|and|while) )?"
                rf"(?:(?:the |all )?(?:{what}) (?:(?:can|should|must|may) )?(?:stay|remain|are fine|keep) ?(?:{_AS_IT_IS}|(?:their|the)(?: own)?(?: triple)?(?: double)?(?: quotes| ones)?)?"
                rf"|(?:leave|keep) (?:the |all )?(?:{what})(?: (?:{_AS_IT_IS}))?)\)?[.!]?$",
                re.IGNORECASE,
            ),
            r"\g<before>",
        )
        for before, what in (
            (r"(?:(?!double).)*\bsingle quotes?\b(?:(?!double).)*?", "docstrings?"),
            (
                r".*\b(?:quotes?|quoted|quoting)\b.*?",
                r"template (?:strings?|literals?)|back-?ticks?|backticked strings?",
            ),
        )
    ),
    (
        re.compile(
            r",? (?:but |and )?(?:except|keep|leave|not|other than|apart from|besides)(?: for)? (?:the )?(?:shebang|hashbang)(?: line)?(?: alone)?",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r"[,:;]? (?:the )?(?:plain|normal|bare|simple) (?:imports?|ones)(?: (?:by name|first|alphabetically|sorted))*"
            r"(?:,| and|, and)? (?:then )?(?:the )?(?:from[- ]imports?|from ones)(?: (?:at the end|last|after(?: them| that)?|below))?",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r"\bkeep (?:only|just) (?:the |those )?(imports|requires|includes) (?:that |which )?(?:(?:we|i|it|this file|the file|the code) )?"
            r"(?:(?:are|is) )?(?:actually |really )*(?:use[sd]?|needs?|needed)\b",
            re.IGNORECASE,
        ),
        r"remove unused \1",
    ),
    (
        re.compile(
            r" (?:in|of|at the (?:top|head|start|beginning) of|up at the top of|from) (?:this|the|our|my) (?:class|file|module|script|code)\b"
            r"| (?:up )?at the (?:very )?top\b| up (?:top|there|here)\b| on top\b",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r"\bnot (?:sorted )?in (?:any |the |an? )?(?:(?:right|correct|proper|alphabetical) )?order\b"
            r"|(?:(?<=is)|(?<=are)) (?:out of place|misplaced)\b",
            re.IGNORECASE,
        ),
        " out of order",
    ),
    (
        re.compile(
            rf"\b{_SOME} of (?:the|our|my) (?=imports\b)",
            re.IGNORECASE,
        ),
        "the ",
    ),
    (re.compile(r"^(?:an?|one) import (?=is out of order\b)", re.IGNORECASE), "the imports "),
    (
        re.compile(
            rf",? {_SOME} of them (?:is|are) (?:out of place|out of order|misplaced|in the wrong place)\b",
            re.IGNORECASE,
        ),
        "",
    ),
)
_OLD_FIRST = re.compile(r"\b(?:to|with|into|by|as|use|using|becomes?|be)\b")
_NEW_FIRST = re.compile(r"\b(?:instead|rather|over|not|place|for|from|no)\b")
_MARKS = frozenset("():;,.!?")
_SECTIONS = words_of(
    "stdlib standard library section sections third party third-party group groups"
)
CHANGE = words_of(
    """
    change changed convert converted converting turn turned switch switched replace replaced replacing rewrite swap use used
    using prefer want make write migrate move update modernize modernise format formatted instead rather than over not
    """
)
_IMPORTS = words_of(
    "import imports importing imported includes #include #includes use uses usings require requires"
)
UNUSED = (
    words_of(
        """
        unused unneeded unnecessary use uses used needed need needs required referenced references reference unreferenced
        dead superfluous redundant useless stale leftover read
        """
    )
    | lexicon.UNUSED_CODES
)
"""Words of which a request about imports that nothing uses has one."""
UNUSED_BESIDE = words_of(
    """
    some not never no longer anymore more any anywhere nothing nobody aren't isn't don't doesn't them those both modules module
    whatever what what's whichever but one couple few several things stuff declared actually really still code at there's
    """
)
"""Words that may stand beside these."""
_STATEMENTS = words_of(
    "statement statements line lines block list section declarations declaration"
)
_PRINTS = words_of(
    """
    print prints print() print()s printing printed printf println println! console.log console.logs console.log() fmt.println
    fmt.printf system.out.println system.out.println()
    """
)
_CALLS = words_of(
    "call calls statement statements line lines output debug debugging noise leftover leftovers old"
)
_FORMATTING = words_of(
    """
    % %-formatting %-format %-style %-formatted percent percent-formatting percent-style .format .format() format format()
    formatting formatted str.format str.format() old-style concatenation interpolation string strings +
    """
)


@dataclass(frozen=True, slots=True)
class _Chore:
    """A kind of chore, with the words that ask for it.

    needed: sets of words, of each of which the request has one. others: words that may stand beside them. sentence: makes
    the plain sentence of the request's words, joined by blanks; empty where these ask for something else.
    """

    needed: tuple[frozenset[str], ...]
    others: frozenset[str]
    sentence: Callable[[str], str]

    def sentence_for(self, words: list[str]) -> str:
        """The sentence in the plainest words for this chore ("use double quotes") if the words ask for it; empty if a
        needed word is missing, a word is unknown, or the words leave open which sentence is meant. words: all words of
        the request, in lower case.
        """
        if any(map(frozenset(words).isdisjoint, self.needed)):
            return ""
        known = frozenset().union(*self.needed) | self.others | (lexicon.SAYS_NOTHING - _PARTS)
        return self.sentence(" ".join(words)) if known.issuperset(words) else ""


def chore_in(request: str) -> str:
    """The request as the sentence in the plainest words for a chore ("sort the imports"); empty if it is none, could be
    two, is denied, has quotes, an exception, an unknown word (as names are) or more than 40 words and marks, or names a
    place. Idioms count as plain words.
    """
    request = in_usual_words(request)
    words = [_word(token) for token in tokens_of(request)]
    if "" in words or len(words) > lexicon.LONGEST or lexicon.DENIED.match(request):
        return ""
    words = [word for word in words if word not in _MARKS]
    if (
        words[-1:] == ["not"]
        or _PLACE.search(" ".join(words))
        or excepts(_NO_EXCEPTION.sub("", _SECTIONS_FIRST.sub("", " ".join(words))))
    ):
        return ""
    found = {sentence for chore in _CHORES if (sentence := chore.sentence_for(words))}
    return found.pop() if len(found) == 1 else ""


def in_usual_words(request: str) -> str:
    """The request with plain words for idioms: "double quotes" for a quotation mark that stands alone, "out of order"
    for "not in order"; without what a chore does by itself, and "at the top" and "in this file". Unchanged if it has
    none.
    """
    for pattern, plain in _IDIOMS:
        request = pattern.sub(plain, request)
    return request


def _word(token: EnglishToken) -> str:
    """The word in lower case, but "open" for "open()", "tarfile.open" and the like; "to" for an arrow; a mark itself if
    it is one of ``():,.!?``. Empty for other marks and for what is quoted.
    """
    if token.kind == "mark":
        return token.text if token.text in _MARKS else ""
    if token.kind == "arrow":
        return "to"
    return _OPENING.sub("open", token.word)


def _becomes(old: str, new: str, text: str) -> bool:
    """Whether ``text`` asks that something like the pattern ``old`` become something like ``new``, in either order: the
    words between the two have to say so. Both count as whole words.
    """
    first = re.search(rf"(?<!\S)(?:{old})(?!\S)(?P<between>.*?)(?<!\S)(?:{new})(?!\S)", text)
    if first:
        return bool(_OLD_FIRST.search(first["between"]))
    second = re.search(rf"(?<!\S)(?:{new})(?!\S)(?P<between>.*?)(?<!\S)(?:{old})(?!\S)", text)
    return bool(second and _NEW_FIRST.search(second["between"]))


def _of_comments(text: str) -> str:
    """``delete the comments``; empty where only one may be meant."""
    is_of_all = re.search(r"\bcomments\b|\b(?:all|every|each|any) comment\b", text)
    return "delete the comments" if is_of_all else ""


def _of_prints(text: str) -> str:
    """``delete the prints``; empty where only one may be meant."""
    is_of_all = re.search(
        r"\w(?:ts|ln!?s|\.logs|f|\(\)s|ing)\b|calls|statements|lines|output|\b(?:all|every|each|any)\b",
        text,
    )
    return "delete the prints" if is_of_all else ""


def _of_logging(text: str) -> str:
    """``replace print with logging``; empty for the other way round."""
    prints = "|".join(map(re.escape, _PRINTS))
    return "replace print with logging" if _becomes(prints, "log|logging|logger|logs", text) else ""


def _of_quotes(text: str) -> str:
    """``use double quotes`` or ``use single quotes``; empty if the text names neither kind, or both without saying
    which becomes the other.
    """
    kinds = [kind for kind in ("double", "single") if re.search(rf"\b{kind}\b", text)]
    if len(kinds) > 1:
        kinds = [
            new
            for old, new in (kinds, kinds[::-1])
            if _becomes(rf"{old}(?:-quoted)?", rf"{new}(?:-quoted)?", text)
        ]
    return f"use {kinds[0]} quotes" if len(kinds) == 1 else ""


def _of_f_strings(text: str) -> str:
    """``use f-strings`` for a text that asks for f-strings, or for them in the place of another form; empty if it names
    none, asks for the other way round, or for concatenation alone (which is changed only where there is nothing else).
    """
    new = r"f-?strings?|f strings?"
    olds = re.findall(
        r"(?<!\S)(?:%\S*|\.?format\S*|percent\S*|str\.format\S*|concatenation|\+)(?!\S)", text
    )
    is_so = all(_becomes(re.escape(old), new, text) for old in olds)
    if olds and set(olds) <= {"concatenation", "+"}:
        return ""
    return "use f-strings" if is_so and re.search(new, text) else ""


def _of_with(text: str) -> str:
    """``use with open``; empty where "with" is no more than a preposition."""
    is_meant = re.search(
        r"\bwith (?:for|around) (?:the )?(?:open|file)\b|\bwith[ -](?:open|block|statement|clause)s?\b|\bcontext ?managers?\b|try-with-resources?",
        text,
    )
    return "use with open" if is_meant else ""


def _always(sentence: str) -> Callable[[str], str]:
    """The sentence of a chore that has no variants."""
    return lambda _: sentence


_CHORES = (
    _Chore(
        (
            _IMPORTS,
            words_of(
                """
                sort sorts sorted sorting order orders ordered reorder alphabetize alphabetise alphabetical alphabetically
                organize organise organized isort arrange arranged rearrange tidy alphabetised alphabetized alphabetic unsorted
                sorting ordering a-z abc
                """
            )
            | lexicon.ORDER_CODES,
        ),
        _STATEMENTS
        | _SECTIONS
        | lexicon.MODULES
        | lexicon.LINTERS
        | lexicon.LANGUAGES
        | words_of(
            """
            properly name names first then rest others other after before separate mess messy unsorted order pep8 pep put bring
            fix fixed correct keep place clean cleanup out wrong not aren't isn't style usual default standard proper correct
            rustfmt goimports like would case-insensitively ascending stdlib-first run apply lexicographically lexicographic alphabet look alphabetical
            way them those
            """
        ),
        _always("sort the imports"),
    ),
    _Chore(
        (
            _IMPORTS | lexicon.UNUSED_CODES,
            UNUSED,
            lexicon.DELETE
            | words_of(
                "go no optimize optimise prune tidy fix resolve solve complains complain complaining kick chuck"
            ),
        ),
        _STATEMENTS | UNUSED_BESIDE | lexicon.LINTERS | lexicon.LANGUAGES,
        _always("remove unused imports"),
    ),
    _Chore(
        (words_of("comment comments"), lexicon.DELETE | words_of("no without")),
        words_of("line lines inline anymore longer"),
        _of_comments,
    ),
    _Chore(
        (_PRINTS, lexicon.DELETE | words_of("no without")),
        _CALLS | words_of("anymore longer more"),
        _of_prints,
    ),
    _Chore(
        (_PRINTS, words_of("log logging logger logged logs"), CHANGE | words_of("log")),
        _CALLS | words_of("module proper real messages message python's no more"),
        _of_logging,
    ),
    _Chore(
        (
            words_of("double single"),
            words_of("quote quotes quoted quoting double-quoted single-quoted"),
        ),
        CHANGE
        | words_of(
            """
            string strings literal literals consistent consistently only everywhere js javascript style project like better
            best put normalize normalise unify wants want black prettier no text texts marks mark prefers ones one uses from
            """
        ),
        _of_quotes,
    ),
    _Chore(
        (
            words_of("f-string f-strings fstring fstrings f string strings"),
            words_of("f-string f-strings fstring fstrings f"),
        ),
        CHANGE
        | _FORMATTING
        | _CALLS
        | words_of("python python3 modern message messages style calls please"),
        _of_f_strings,
    ),
    _Chore(
        (words_of("template templated"), words_of("literal literals string strings")),
        CHANGE
        | words_of(
            "concatenation concatenations concatenated concatenating + plus js url message text backticks backtick"
        ),
        _always("use template literals"),
    ),
    _Chore(
        (
            words_of(
                "with with-statement with-block context contextmanager try-with-resources try-with-resource"
            ),
            words_of(
                "open opens opened opening open() close closes closed closing file files handle handles block statement resource resources manager managers stream reader writer try-with-resources"
            ),
        ),
        CHANGE
        | words_of(
            "wrap wrapped put surround enclose read reading write writing block statement clause manager managers context never not leaks leak leaked leaking stays via safely properly handling access safe so"
        ),
        _of_with,
    ),
)
