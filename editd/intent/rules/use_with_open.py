"""Use with: how people ask that files be opened in it."""

from __future__ import annotations

import re

from editd.intent.intents import UseWithOpen
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import ALL
from editd.intent.slots import TAKEN, UnreadText

_FILES = "(open|open()|opening|files?|file (handling|handles?|opening|access|reading|objects?)|open (and|/) close|open/close|calls? (of|to) open|open() calls?|open calls?)"
_WITH = "(a|the)? (with|with-|with open|with open()|with (statements?|blocks?)|with-(statements?|blocks?)|context managers?) (statements?|blocks?)?"


USE_WITH_OPEN = Rule(
    "with-open",
    paraphrases=(
        f"(use|add|i want|i'd like|put|prefer) {_WITH} (for|around|when|to|on) {ALL} (open|opening)? {_FILES} ((the)? files?)? WHERE?",
        "(use|prefer|i want) ((a|the)? (with open|with open()|context managers?|with-open) (statements?|blocks?)?|(a|the)? with (statements?|blocks?)) (here)? ((instead of|rather than) (open and close|open/close|close|close()|open|open()|closing ANYTHING))? WHERE?",
        f"replace {ALL} (open/close|open and close|open() and close()) (with|by) {_WITH} WHERE?",
        f"(the)? ADJECTIVE (is|are) (never|not) closed, (so|please)? use {_WITH}",
        f"(open|close|read|handle|manage) {ALL} files? (in|with|using|by) {_WITH} WHERE?",
    ),
    intent=lambda _: UseWithOpen(),
    takes_location=True,
    reasons=re.compile(
        r"\b(?:never|not|isn't|aren't|only) (?:properly |always )?closed?\b|\bleak\w*|\bstays? open\b",
        re.IGNORECASE,
    ),
    examples=(
        ("use with open", UseWithOpen()),
        ("f is never closed, use a context manager", UseWithOpen()),
    ),
)
_WITH_WORDS = re.compile(
    r"(?:\b(?:an?|the|python's|proper) )*(?:[`\"'](?:with|with open|with open\([^)]*\))[`\"'](?: block| statement)?|\bwith[- ](?:statement|block|clause)s?\b|\bcontext[- ]?managers?\b"
    r"|\bwith[- ]open\b(?:\([^)]*\))?(?: as \w+)?(?: statement| block)?|\btry-with-resources?\b"
    r"|\b(?:a|via|by|using|use|prefer) with\b(?! (?:the|a|an) )(?= for| around| here| instead|[,;.]|$| in)|(?<!\bnot )\bwith\b(?=[,;.]|$| instead))",
    re.IGNORECASE,
)
_LEAKS = re.compile(
    r"\b(?:(?:is|are|gets?|stays?|remains?) )?(?:never closes|doesn't close|does not close|forgets to close|leak(?:s|ed|ing)?|never closed|not closed|(?:leaves?|keeps?) (?:the |its |an? )?(?:file|files|handle) open|open(?! ?(?:/|and\b|\+) ?(?:close|try)))(?: (?:the |its )?files?)?(?: (?:there|forever))?(?: (?:if|when|once|on) (?:\w[\w.]* )?(?:raises?|fails?|throws?|crashes|(?:an? )?(?:errors?|exceptions?)(?: (?:is raised|occurs|happens))?))?\b"
    r"|\b(?:so |and )*(?:that )?(?:it|they|the file|the handle|\w+)? ?(?:is|are|gets?|will be) (?:always |properly |safely |also )*closed\b(?: (?:even )?(?:if|when|on) (?:\w[\w.]* )?(?:raises?|fails?|(?:an? )?(?:errors?|exceptions?)))?"
    r"|\b(?:so |and |then )*(?:(?:that )?(?:we|you|i) (?:don't|do not) (?:need|have) (?:to |the |an? )?|no (?:more |need for |need to )?|without (?:the |an? )?|instead of (?:the |an? )?|rather than |not )"
    r"(?:explicit |manual |separate |extra )*(?:open\(\)?(?:/| and |\+| \+ )close(?:\(\))?|open ?(?:/|and|\+) ?close|closing|close(?:\(\))?(?: call| calls)?|opening and closing|open(?:\(\))?)(?: (?:it|by hand|manually|explicitly|calls?|pairs?))*",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"(?:\b(?:the|this|that|its|an?|all|every|both) )*(?:\b(?:output|input|open|opened|csv|json|text|log|config|temp|temporary|source|target|zip) )?(?:\b(?:files?|file ?handles?|handles?|file objects?|streams?|resources?|archive|output|input)\b|\bopen\b(?:\([^)]*\))?(?: ?(?:/|and|\+) ?(?:close\b(?:\(\))?|try ?/ ?finally\b))?(?: calls?)?)",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    open opened opens opening close closes closed closing read reading write writing wrap wrapped put surround enclose manage
    handle handles handled convert change turn switch replace prefer properly safely always via instead rather than place of no
    try finally try/finally rewrite rewritten would better nicer cleaner than not so block statement manager access there here explicit manual no more go should safe inside by handling everywhere pair pairs
    """
)
_NAMED = re.compile(
    rf"\b(?:for|around|use|wrap|put|open|turn|make|convert|manage|handle) (?:the )?(?P<name>(?!(?:with|an?|the|in|context|it|this|that|{'|'.join(sorted(_KNOWN))})\b)[`]?[^\W\d][\w.]*[`]?(?:\([^)]*\))?)(?= |$|,)",
    re.IGNORECASE,
)


def _with_open(text: str) -> UseWithOpen | None:
    """The intent of a request for ``with``, in a function, or for a file or a call that opens, if one is named;
    ``None`` for another request, the other way round, or if words are left that are not known.
    """
    unread = UnreadText(text)
    if re.search(
        r"\b(?:instead of|rather than|without|no|remove|drop) (?:an? |the )?(?:with\b|context)",
        text,
        re.IGNORECASE,
    ):
        return None
    if not unread.take_all(_WITH_WORDS):
        return None
    # In "load leaks the file" the function is the subject, in "f leaks in load" it is not.
    is_place_behind = re.search(rf" in (?![ {TAKEN}]*{TAKEN})", unread.text)
    location = "" if is_place_behind else unread.take_function(_KNOWN)
    unread.take_all(_LEAKS)
    unread.take_all(_OPENED)
    named = unread.take(_NAMED) if re.search(r"\w\.\w.* in ", unread.text) else None
    location = location or unread.take_function(_KNOWN)
    named = named or unread.take(_NAMED)
    name = re.sub(r"\(.*|`", "", named["name"]) if named else unread.take_only_word(_KNOWN)
    return UseWithOpen(name, location=location) if unread.says_only(_KNOWN) else None


WITH_OPEN = Guess(
    "with-open",
    reads=_with_open,
    examples=(
        (
            "open the output in write_report via `with`, so no explicit close",
            UseWithOpen(location="write_report"),
        ),
        ("with open(...) as fp in load_file", UseWithOpen(location="load_file")),
        ("save_file → context manager for the file", UseWithOpen(location="save_file")),
        (
            "use the tarfile as a context manager in pack",
            UseWithOpen("tarfile", location="pack"),
        ),
        (
            "hash_of never closes the file if reading raises, open it in a with block please",
            UseWithOpen(location="hash_of"),
        ),
        (
            "same file, save(): rewrite the open/close pair as a with statement",
            UseWithOpen(location="save"),
        ),
        (
            "in read, a with block would be nicer than open + try/finally",
            UseWithOpen(location="read"),
        ),
        (
            "the file in hash_of() leaks if read raises: with-block instead of open/close",
            UseWithOpen(location="hash_of"),
        ),
    ),
    near_misses=("use a context manager for the file in load but not in save",),
    is_of_one=False,
    reads_all_words=True,
)
"""In a function, or of one file."""
