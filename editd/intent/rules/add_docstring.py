"""Add a docstring: how people ask for it."""

from __future__ import annotations

import re

from editd.intent.intents import AddDocstring, Intent, Open
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION
from editd.intent.slots import UnreadText


def _documented(slots: Slots) -> Intent:
    """The intent ``AddDocstring`` for the function ``name``, without call brackets, where the docstring stands in
    quotes (``quoted``); ``Open`` (a model has to do it) where it does not. slots: the texts that the request gives, by
    role.
    """
    if "quoted" not in slots:
        return Open()
    return AddDocstring(slots["name"].removesuffix("()"), slots["quoted"])


ADD_DOCSTRING = Rule(
    "add-docstring",
    canonical=(
        "ADD (a|the)? docstring QUOTED? (to|for|in|into) KIND? NAME :? QUOTED?",
        "document KIND? NAME (with QUOTED)?",
        "write (a|the)? docstring (for|to) KIND? NAME :? QUOTED?",
        "give KIND? NAME (a|the) docstring :? QUOTED?",
        "KIND? NAME (needs|has no|lacks|should have) (a|the)? docstring (:? QUOTED|, (ADD|write) one)?",
        "the docstring of KIND? NAME (should|must) be QUOTED",
        "use QUOTED as the docstring of KIND? NAME",
        "let QUOTED be the docstring of KIND? NAME",
        "describe KIND? NAME (in a docstring|with the docstring QUOTED)",
        "document what KIND? NAME does",
        "(i want|i'd like) KIND? NAME documented",
    ),
    paraphrases=(
        f"(WRITE)? (a|the)? docstring (of|for|to|in) {FUNCTION} (is|as|with|saying|:)? QUOTED",
        f"(WRITE|use|set)? (a|the)? docstring QUOTED (of|for|to|in|on) {FUNCTION}",
        f"(set|change|update) the docstring of {FUNCTION} to QUOTED",
        f"{FUNCTION} : (the)? docstring :? QUOTED",
        f"(ADD|use|put) QUOTED as (a|the)? docstring (of|for|to|in) {FUNCTION}",
        f"(WRITE|i need|i want|we need)? DOC (to|for|in|into|on|of) {FUNCTION} ((explaining|describing|that|which|saying) ANYTHING)?",
        f"(WRITE|ADD)? DOC (that|which|to)? (explains?|describes?|explaining|describing|about|saying) (what)? {FUNCTION} (does|is for|returns)?",
        f"(let|make) {FUNCTION} (have|get) DOC",
        f"(explain|describe|document|say|state) (what)? {FUNCTION} (does|is for|returns)? (in|with|by|using) DOC",
        f"document {FUNCTION}",
        "(WRITE)? (some|the)? documentation (to|for|of) (the)? KIND? NAMEPLAIN KIND?",
        f"(give|write) {FUNCTION} DOC",
        f"{FUNCTION} (needs|has no|lacks|should have|must have|wants|is missing|misses|doesn't have|could use|deserves|requires) (DOC|documentation) (yet|so far)?, (so)? ((WRITE) (one|it|DOC))?",
        f"{FUNCTION} MODAL be documented (with|by|in)? DOC?",
    ),
    plain="add a docstring to {name}",
    intent=_documented,
    is_of_one=True,
    examples=(
        ("document f with 'Do it.'", AddDocstring("f", "Do it.")),
        ("let 'Do it.' be the docstring of f", AddDocstring("f", "Do it.")),
        ('docstring for f: """Do it."""', AddDocstring("f", "Do it.")),
        ("add a docstring to load", Open()),
    ),
)
_QUOTED = re.compile(
    r"(?::|=|,|\b(?:saying|says|that says|which says|reading|that reads|read|say|stating|with(?: the)? text|the text|being|as|to|be|is|with))?(?::? )?"
    r"(?:\"\"\"(?P<triple>[^\"]+)\"\"\"|'''(?P<triple2>[^']+)'''|\"(?P<double>[^\"]+)\"|(?<!\w)'(?P<single>(?:[^']|(?<=\w)'(?=\w))+)'(?!\w)|“(?P<curly>[^”]+)”)"
)
_BARE = re.compile(
    r"(?:\b(?:saying|that says|which says|reading|that reads|stating|with(?: the)? text)(?: that)?:? |: | (?:->|→|=>) )(?P<bare>(?-i:[A-Z])[^\"'`]*(?: [^\"'`]+){2,})$",
    re.IGNORECASE,
)
# A further request behind the text: "…. Then rename x to y."
_ASKS_MORE = re.compile(
    r"[.;!] (?:(?:and|then|also|please),? )+\w|[.;!] (?:rename|remove|delete|drop|add|sort|replace|wrap)\b",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"\b(?:doc[- ]?strings?|docs?|documentation|doc[- ]?comments?|js-?docs?|java-?docs?|go-?docs?|rust-?docs?|documentation comment|document|documented)\b",
    re.IGNORECASE,
)
_OF_MODULE = re.compile(
    r"\b(?:(?:to|for|of|at|on) (?:the )?(?:top of )?(?:this |the )?(?:module|file|script)|^(?:an? |the )?(?:module|file)[- ](?:level )?(?=docstring)|(?:module|file)(?=[- ]?(?:level )?doc)|^(?:the|this) (?:module|file|script)(?= (?:needs|should|has|lacks|gets|is)))\b",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    docstring docstrings doc-string doc string docs doc document documented documents documentation documenting jsdoc javadoc
    godoc rustdoc go rust python jsdocs js-doc doc-comment comment comments block say says saying reading reads explain explains explaining
    describe describes describing change set replace update above over text line one-line one-liner short brief small public
    top module level module-level header missing lacks class's create
    """
)


def _stated_text(text: str) -> AddDocstring | None:
    """The intent of a request for a docstring whose text is given, in quotes or as a sentence behind a colon or
    "saying" (with a full stop, if it ends with no mark); of a module with an empty name.

    ``None`` for another request, a single word in quotes, without the name of a function, class or module, or if other
    words are left.
    """
    if not _NOUN.search(text):
        return None
    given = _QUOTED.search(text) or _BARE.search(text)
    start, end = given.span() if given else (len(text), len(text))
    around = []
    for words in (text[:start], text[end:]):  # the text that is given stays as it is
        plain = re.sub(r"\b(?:above|over|under|below|on top of)\b", "for", words)
        around.append(re.sub(r"\b(?:has no|doesn't have|does not have) (?:a )?", "lacks ", plain))
    unread = UnreadText(f"{around[0]}{text[start:end]}{around[1]}")
    found = unread.take(_QUOTED)
    if found is not None:
        docstring = next(filter(None, found.groups()))
        if not re.search(r"\W", docstring):
            return None  # a name in quotes
    else:
        bare = unread.take(_BARE)
        if bare is None:
            return None
        docstring = bare["bare"] if bare["bare"][-1] in ".!?" else f"{bare['bare']}."
        if _ASKS_MORE.search(docstring):
            return None
    if unread.take(_OF_MODULE):
        return AddDocstring("", docstring) if unread.says_only(_KNOWN) else None
    function = unread.take_function(_KNOWN) or unread.take_only_word(_KNOWN)
    return AddDocstring(function, docstring) if function and unread.says_only(_KNOWN) else None


DOCUMENT = Guess(
    "add-docstring",
    reads=_stated_text,
    examples=(
        ("document class User with 'A person.'", AddDocstring("User", "A person.")),
        (
            "checksum needs a docstring saying Return the hash of a file.",
            AddDocstring("checksum", "Return the hash of a file."),
        ),
        ("put the docstring 'No luck.' into FetchError", AddDocstring("FetchError", "No luck.")),
        ("JSDoc above total(): Price with tax.", AddDocstring("total", "Price with tax.")),
        (
            "docstring for load -> Read the whole file.",
            AddDocstring("load", "Read the whole file."),
        ),
        ('load has no docstring, add "Read it."', AddDocstring("load", "Read it.")),
        ("add a module docstring: 'Tools for maps.'", AddDocstring("", "Tools for maps.")),
    ),
    near_misses=(
        "document load",
        "add a docstring to load",
        "add a docstring to load that explains the 'path' parameter",
        "add the docstring 'Read it.' to load, but not to save",
    ),
    reads_all_words=True,
)
"""With a text that is given."""
OF_ALL = re.compile(
    r"(?:(?:please|can you|could you) )*(?:(?:add|write|create|give|put|generate|i want|we need) )?(?:short |brief |missing |some |the )*"
    r"(?:docstrings?|a docstring) (?:to|for|in|on) (?:all|every|each|all of the)(?: the| of the)?(?: (?:functions?|methods?"
    r"|functions and methods))?(?: (?:here|in (?:here|this file|the file)))?[.!]?(?: please)?",
    re.IGNORECASE,
)
"""A request for the docstrings of all functions."""
