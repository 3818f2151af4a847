"""Evidence for a docstring: its text stands in the request, letter by letter, and the definition is named.

"JSDoc on update: Marks the hud dirty when the score changed." has the text behind a colon; elsewhere it is in quotes. Standard
library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.whole_requests import Span, accounts_for, asks_for_more, functions_in
from editd.intent.intents import AddDocstring

CUE = re.compile(
    r"\b(?:doc[- ]?strings?|docs|documentation|doc[- ]?comments?|(?:js|java|go|rust|k|php|py|ts)-?docs?|doxygen|summary comment|document(?:ed|s)?|describe[ds]?(?= as\b)|(?:doc|documentation|xml) comments?|summary)\b|\"\"\"|'''|/\*\*|///",
    re.IGNORECASE,
)
"""Speaks of a docstring, or begins one."""
_TRIPLE = re.compile(
    r"\"\"\"(?P<text>(?:(?!\"\"\").)+)\"\"\"|'''(?P<single>(?:(?!''').)+)'''|/\*\* ?(?P<block>(?:(?!\*/).)+?) ?\*/|/// ?(?P<slashes>[^/].+?)(?= (?:above|on top of|over|before|for) )"
)
_QUOTED = re.compile(
    r"\"(?P<double>[^\"]+)\"|(?<!\w)'(?P<single>(?:[^']|(?<=\w)'(?=\w))+)'(?!\w)|“(?P<curly>[^”]+)”"
)
_COLON = re.compile(
    r"(?::|->|→|=>| [-–—]| saying| says| reads| reading)[ :] ?(?P<text>[^\s\"'`].*)$"
)
MODULE = re.compile(
    r"\bmodule\b|\b(?:top|beginning|start|head) of (?:the |this )?(?:file|script)\b|\b(?:for|of) (?:the |this )?(?:whole )?(?:file|script)\b",
    re.IGNORECASE,
)
"""Speaks of the file as a whole."""
INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of) (?!(?:the |an? )?(?:old|current|empty|todo)\b)",
    re.IGNORECASE,
)
"""Speaks of another thing that the docstring takes the place of."""
_FEWEST = 2  # words of a text
_ABOUT = frozenset(
    """
    docstring docstrings doc docs documentation comment document documented jsdoc javadoc godoc rustdoc kdoc phpdoc doxygen xml summary text write
    give gives needs need wants want has have no missing lacks put add make say says saying read reads description describe one-line one-liner
    class method function type struct interface above short brief above on top kind undocumented under namely this following content described explained as explanation exactly module script head belongs def every ours our
    """.split()  # noqa: SIM905
)


_COMMENT_MARK = re.compile(
    r"^(?:/{2,}|#|--|/\*\*?)\s+"
)  # as people write a comment of their language


def read_docstring(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the docstring with the text that ``text`` has for the one definition that it names; nothing if it has none or several
    texts, or asks for more.
    """
    found = docstring_in(text)
    if found is None:
        return
    docstring, span = found
    rest = text[: span[0]] + " " * (span[1] - span[0]) + text[span[1] :]
    cue = CUE.search(text[: span[0]] + text[span[0] : span[0] + 3] + text[span[1] :])
    if cue is None or any(
        asks_for_more(sentence) for sentence in re.split(r"(?<=[.;!?]) ", docstring)[1:]
    ):
        return
    if INSTEAD.search(rest):
        return
    functions = [name for name in functions_in(rest, facts) if not re.fullmatch(CUE, name)]
    if not functions and facts.language == "python" and MODULE.search(rest):
        functions = [""]
    if len(functions) != 1:
        return
    hidden = text[: span[0]] + "\x00" * (span[1] - span[0]) + text[span[1] :]
    if accounts_for(hidden, [span], {*_ABOUT, *functions}, facts):
        yield Interpretation(
            AddDocstring(functions[0], docstring),
            f"document {functions[0] or 'the module'} with “{docstring}”",
            reads_all=True,
        )


def docstring_in(text: str) -> tuple[str, Span] | None:
    """The text of the docstring, without the mark of a comment before it, and its span with its quotes: in triple quotes, else the only
    one of several words in quotes, else what stands behind a colon or arrow up to the end; ``None`` without.
    """
    found = _text_in(text)
    return (_COMMENT_MARK.sub("", found[0]), found[1]) if found else None


def _text_in(text: str) -> tuple[str, Span] | None:
    """The text of the docstring as it stands, and its span; ``None`` without."""
    if triple := _TRIPLE.search(text):
        return (
            triple["text"] or triple["single"] or triple["block"] or triple["slashes"]
        ).strip(), triple.span()
    quoted = [at for at in _QUOTED.finditer(text) if " " in next(filter(None, at.groups()))]
    if len(quoted) == 1:
        return next(filter(None, quoted[0].groups())), quoted[0].span()
    if quoted:
        return None
    cue = CUE.search(text)
    for at in _COLON.finditer(text, cue.start() if cue else 0):
        words = at["text"].split()
        if len(words) >= _FEWEST:
            return at["text"].strip(), (at.start("text"), len(text))
    return None
