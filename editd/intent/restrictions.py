"""Tells remarks beside a request that are reasons for it from those that narrow it.

"Delete the prints, they are noise" asks for all of them, "…, the one in load is needed" does not. Words alone decide
no request that is narrowed, and no model is given it as a plain one. So a remark has to begin as a
reason does, and to have none of the words that narrow. Knows no buffer: which of the words are its definitions is asked
in ``refactor``. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise

from editd.intent.clause import Remark
from editd.intent.english import FUNCTION_WORDS, is_code_like, tokens_of

_QUOTES = "`'\"“”"
_BEFORE_A_VERB = frozenset(
    "to i we you they it don't can can't cannot could will would should must not always never".split()  # noqa: SIM905
)
_PLACES = frozenset(["in", "inside", "within", "for", "of", "from", "at", "by", "outside"])


def _words(text: str) -> str:
    """A pattern for one of the words of a list."""
    return rf"\b(?:{'|'.join(text.split())})\b"


def _pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern, which ignores case."""
    return re.compile(text, re.IGNORECASE)


FOR_A_QUALITY = r"for (?:clarity|consistency|readability|brevity)"
# A reason says so itself,
_CAUSE = _pattern(
    r"(?:because|since|without (?:it|them|that)|so (?:that )?(?:it|we|they|the|i|that|you)|as (?:it|we|they|that)"
    rf"|to (?:match|avoid|keep|be|reflect|follow|fit)|in order|{FOR_A_QUALITY}|otherwise)\b"
)
# or is a sentence about what the request names, who asks, or what everybody has to follow.
_STATEMENT = _pattern(
    r"(?:it|it's|its|this|they|they're|these|we|we're|we've|i|i'm|i've|nobody|no one|everybody|everyone|python"
    r"|that (?:reads|says|fits|makes|confuses|shadows|hides|breaks|clutters)|that's (?:what|how|shorter|clearer|easier|simpler|nicer)"
    r"|which (?:is|are|reads|says|fits|makes|matches)|there(?:'s| is| are| was| were) (?:no|already|too|so|lots|many|another|an?|two)"
    r"|(?:most|many|all) of (?:them|these|the \w+) (?:are|is|were|have|say|lie)"
    r"|not|(?:easier|clearer|shorter|simpler|nicer|better)"
    r"|(?:the|our|my) (?:(?:old|new|current|whole|former|other|second|first) )?(?:name|word|term|abbreviation|spelling|identifier|variable"
    r"|function|class|method|constant|parameter|number|value|text|label|string|message|title|code|file|module|comments|prints|imports|docs|documentation|spec"
    r"|specification|standard|api|schema|style guide|guidelines?|conventions?|coding style|team|reviewers?|review|linter|linters"
    r"|compiler|type checker|customers?|users?|ci|build|pipeline|backend|frontend|server|database|paper|book|ticket|logs?|logger|output)"
    r"|(?:flake8|pylint|ruff|mypy|pyright|isort|black|eslint|prettier|clippy|gofmt|golint|checkstyle|sonar|pep ?8|codacy))\b"
    r"|(?:the )?\S+ (?:now )?(?:replaces|supersedes|does|covers|handles|takes over)\b"
    r"|(?:\S+ ){1,3}(?:is|are|was|were) (?:much |far |way |just |simply )?(?:too|so) \w+(?: for [\w -]+)?$"
)
_OF_A_NAME = _pattern(
    r"(?P<name>[`'\"“]?[^\W\d]\S*) (?:is|was|isn't|says|tells|sounds|reads|means|hides|shadows|clashes|breaks|confuses|looks|fits|misleads|stands)\b"
)
# "PEP 8", "a typo", "see #12"
_SHORT = _pattern(
    r"(?:(?:it's |it is |they're )?(?:too |so |very |just |completely |totally )?(?:flaky|broken|slow|noisy|obsolete|legacy|annoying|ugly|redundant|useless|temporary|experimental"
    r"|superfluous|wip|cleaner|misleading|confusing|unclear|outdated|deprecated|long|short|cryptic|embarrassing|dead(?: code)?)|pep ?\d+|an? \w+|see #?\w+|#\d+|typo|[A-Z]{2,}-\d+|cosmetic|\w+ing)"
)
# Brackets that say the same in other words.
_AGAIN = _pattern(
    r"(?:so|currently|was|were|formerly|previously|now|should be|i\.e\.|aka|that'?s) \S+(?: \S+)?|the (?:prints?|comments?|imports?|old one)"
)
# What sounds like one of the words below and narrows nothing.
_IDIOMS = _pattern(
    r"\b(?:(?:don't|do not|doesn't|does not|didn't|won't|no longer|never|not|isn't|aren't|wasn't|nobody|no one|nothing|hardly|without)"
    r" (?:really |even |actually |ever |longer |be )?(?:needs?|needed|wants?|wanted|keeps?|useful|important|necessary|fine|ok(?:ay)?)"
    r"|(?:complain\w*|warn\w*|nag\w*|worr\w+|strict|picky) about|(?:most|many) of (?=them|these)"
    r"|(?:i|we) only (?:needed|wanted|used|had|put|added) (?:it|them|these) (?=(?:\w+ )?(?:for|to|while|when)\b)"
    r"|no need|no one|by one|keeps? \w+ing|one[- ](?:letter|word|liner?|character)s?|an? (?:\w+ )?one"
    r"|at (?:first|last|the moment)|first of all|(?:last|next) (?:week|month|year|sprint|release|time)"
    r"|the rest of (?:the|our|my|this) (?:code|codebase|code base|file|project|module|package|app|team|world|api)"
    r"|to keep (?=it|things|the (?:code|file|linter|api|style|names?)|up|in line|with)"
    r"|(?:it|they|this|we|i|is|was|are|were|be|been|'s|'re|'m) only"
    r" (?!(?:means?|needs?|wants?|needed|wanted|concerns?|appl(?:y|ies)|goes|holds|about|in|inside|within|at|on|of|where|when|if|once"
    r"|for (?!debugging|testing|tests|development|me\b|us\b)|the|those|these|one|half|matters?)\b)(?=\w))"
)
# "Not x" is one where x is what goes anyway.
_DENIED = _pattern(
    r"(?:and )?not\b ?(?:just )?(?:called |named )?(?P<what>`[^`]+`|\"[^\"]+\"|'[^']+'|\S*)"
)
# These narrow whatever is said around them.
_EXCEPTS = _pattern(
    _words(
        """
        only solely exclusively except excepting excluding excludes? excluded exempt(?:ed|s)? apart unless besides
        other\\ than keep keeps keeping stay stays staying remain remains remaining leave leaves leaving
        preserve[sd]? preserving retain[sed]* spare[sd]? sparing skip[ps]?(?:ed|ing)? ignore[sd]? ignoring untouched unchanged intact
        ones the\\ one that\\ one this\\ one one\\ (?:in|of|at|from|with|that|which|here|above|below)
        first last second third fourth 1st 2nd 3rd \\d+th those survive[sd]? hands\\ off as\\ (?:it|they)\\ (?:is|are)(?!\\ \\w) as\\ is as-is
        (?:not|never|n't)\\ (?:in|inside|within|for|of|at|all|every|everywhere|everything|both|the|this|that|these|to\\ touch|touch(?:ed)?|to\\ be)
        """.replace("\\ ", "§")
    ).replace("§", " ")
)
# And these where it does not say by itself that it is a reason.
_NARROWS = _pattern(
    _words(
        """
        one but without need needs needed require[sd]? want wanted like likes useful important matters? essential relevant
        fine ok okay alright alone still both some most few several half either neither rest others mean means meant about
        concern(?:s|ed)? appl(?:y|ies) enough mind careful deliberate(?:ly)? intended intentional(?:ly)? purpose here
        must§not mustn't depends? rely relies licen[cs]e copyright headers? todos? fixmes? doctests? (?:block|inline|line|trailing|doc|doctest)§comments?
        errors? error§\\w+ usage help banner that§is
        """
    ).replace("§", " ")
    + r"|\bit(?:'s| is| was) \S+ (?:that|which|who)\b|(?<!\bits )\bdocstrings?\b|\b(?:in|inside|within|of|at|on|from|above|below|before|after|outside|under|over) "
    r"(?:the|this|that|these|those|my|our|each|every|all|any)?(?: [\w-]+){0,2} ?\b(?:loops?|functions?|methods?|class(?:es)?|tests?|strings?|comments?"
    r"|docstrings?|header|body|branch(?:es)?|blocks?|constructors?|imports?|lines?|line ends?|parameters?|arguments?|handlers?|sections?"
    r"|top|bottom|beginning|start|end|middle)\b"
)
_TAKES_BACK = _pattern(
    r"(?:(?:also|then|please) )*(?:keep|leave|let|don't|do not|never|not|spare|skip|ignore|exclude|put (?:\S+ ){1,4}back|restore)\b"
)


def begins_as_reason(text: str) -> bool:
    """Whether a remark behind a request begins like a reason: "because …", "it is too long"."""
    return any(
        (_CAUSE.match(text), _STATEMENT.match(text), _OF_A_NAME.match(text), _SHORT.fullmatch(text))
    )


def is_remark(text: str) -> bool:
    """Whether brackets behind a request say why, or something again: "(PEP 8)", "(was 30)", "(the prints)"."""
    return begins_as_reason(text) or bool(_AGAIN.fullmatch(text))


def narrow(remarks: Iterable[Remark], names: Collection[str], *, is_of_one: bool = False) -> bool:
    """Whether one of the remarks narrows the request.

    names: the contents of its slots. is_of_one: the request is about one place, of which there is no part.
    """
    return any(_narrows(remark, names, is_of_one=is_of_one) for remark in remarks)


def narrowing_names(remarks: Iterable[Remark], names: Collection[str]) -> frozenset[str]:
    """Words of the remarks that may be names of definitions, without owner and brackets; if the
    buffer has such a definition, the request is narrowed.

    Not the names of the request itself (``names``), nor verbs: "half" of "it is right in half", not
    "read" of "it is easier to read".
    """
    found: set[str] = set()
    for remark in remarks:
        before = ""
        for token in tokens_of(remark.text):
            name = re.sub(r"['’]s$|\(\)$", "", token.text) if token.kind == "term" else ""
            if token.quoted or (token.word not in FUNCTION_WORDS and before not in _BEFORE_A_VERB):
                found.add(name.rpartition(".")[2])
            before = token.word
    return frozenset(found - {name.removesuffix("()") for name in names} - {""})


def excepts(text: str) -> bool:
    """Whether words anywhere in a text make an exception, whatever it is about: "the first one", "not in load"."""
    return bool(_EXCEPTS.search(_without_idioms(text)))


def takes_back(text: str) -> bool:
    """Whether a second request is an exception to the one before it: "and leave load alone"."""
    return bool(_TAKES_BACK.match(text)) or excepts(text)


def _narrows(remark: Remark, names: Collection[str], *, is_of_one: bool) -> bool:
    """Whether one remark narrows the request: it denies something other than ``names``, makes an
    exception or, unless it is about "it" or begins as a cause, has a word that narrows or speaks of
    a place or name other than these.

    is_of_one: the request is about one thing, so only denials and exceptions count.
    """
    text = _without_idioms(remark.text)
    if denied := _DENIED.fullmatch(text):
        return denied["what"].strip(_QUOTES) not in names
    if excepts(text):
        return True
    if is_of_one or remark.is_about_it or _CAUSE.match(text):
        return False
    if _NARROWS.search(text):
        return True
    known = {word for name in names for word in (name, name.removesuffix("()"))}
    of_name = None if _STATEMENT.match(text) else _OF_A_NAME.match(text)
    if of_name and of_name["name"].strip(_QUOTES).removesuffix("()") not in known:
        return True
    words = [token for token in tokens_of(text) if token.kind == "term"]
    return any(
        before.word in _PLACES
        and after.text not in known
        and (after.quoted or is_code_like(after.text))
        for before, after in pairwise(words)
    )


def _without_idioms(text: str) -> str:
    """``text`` without phrases that only sound like exceptions: "no need", "at last"."""
    return _IDIOMS.sub(" ", text.replace("’", "'"))
