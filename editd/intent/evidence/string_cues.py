"""Cues of edits of strings: other quotes, f-strings and template literals. Standard library only."""

from __future__ import annotations

import re

from editd.intent.english import is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, one_of, words_like
from editd.intent.intents import ChangeQuotes, UseFStrings, UseTemplateLiterals
from editd.intent.word_forms import are_forms

_SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
_KIND = r"(?P<kind>double|single)"
_QUOTES = re.compile(rf"\b{_KIND}", re.IGNORECASE)
_OLD_QUOTES = re.compile(
    r"\b(?:instead of|rather than|from|replace|convert|change|switch|turn|have|has|are|is|some|all the|the|not|no)(?: (?:all|the|of|these|those|strings?))*"
    rf" {_KIND}s?\b(?![^,;.]*\b(?:everywhere|please|pls)\b)",
    re.IGNORECASE,
)
_NEW_QUOTES = one_of(
    rf"(?:(?:^|[;,] |\b(?:please|should|must|to|and|pls) )use|\b(?:to|into|with|by|be|in|want|wants|make (?:them|it|all)|agreed on|on|prefers?|should have)|->|=>|→) (?:the )?{_KIND}s?\b",
    # I have single quotes in all my projects
    rf"\b(?:i|we|everybody|everyone|others?|project|repo|rest|team|(?:my|our) \w+) (?:\w+ )?(?:have|has|use|uses|write|writes|prefer\w*|like\w*) (?:only |the )?{_KIND.replace('kind', 'kind2')}s?\b",
    # our style is double quotes
    rf"\b(?:style|rule|convention|standard|setting|config|configured|prettier|black|linter|eslint|ruff|guide(?:line)?|policy)s? (?:\w+ )?(?:is|are|says?|wants?|means|uses?|requires?|prefers?|enforces?)(?: to)? (?:only )?[\"']?{_KIND.replace('kind', 'kind3')}s?\b",
    rf"\bonly {_KIND.replace('kind', 'kind4')}s?\b",  # only single quotes are allowed
)
_SAME_TEXT = (  # "w" -> 'w', and the other way round
    re.compile(
        r"(?P<old>['\"])(?P<text>\w+)(?P=old) ?(?:->|=>|→|to|should be|becomes?) ?(?P<new>['\"])(?P=text)(?P=new)"
    ),
    re.compile(
        r"(?P<new>['\"])(?P<text>\w+)(?P=new) (?:instead of|rather than|not|over|and not) (?P<old>['\"])(?P=text)(?P=old)"
    ),
)
_OF_IMPORTS = re.compile(
    r"\b(?:in|for|of|around|on)? ?(?:the |all |our )*(?:imports?|requires?|import (?:paths?|lines?|statements?|sources?))\b(?! \w+ing)",
    re.IGNORECASE,
)
_OF_KEYS = re.compile(r"\bkeys?\b", re.IGNORECASE)
_OF_CONSTANTS = re.compile(r"\bconstants?\b", re.IGNORECASE)
_WITH_COMMENTS = re.compile(
    r"\b(?:(?:incl(?:\.|uding)?|and|also|plus|even) (?:in )?(?:the |that |all )*(?:commented(?:[- ]out)?(?: \w+)?|comments?)|(?:the |that )?(?:commented(?:[- ]out)?(?: \w+)?|comments?),? (?:too|included|as well|also))",
    re.IGNORECASE,
)


_OF_SUMS = re.compile(
    r"\bconcat\w*|\bplus(?:es)?\b|\bglu\w+|(?<!\w)\+(?!\w)|\bjoin\w*", re.IGNORECASE
)


def _f_strings(
    request: str, words: Words, _: Words, facts: BufferFacts
) -> UseFStrings | UseTemplateLiterals | None:
    """F-strings in Python, of sums as well where the words describe the place or speak of sums; template literals in scripts; ``None`` in other languages."""
    if facts.language == "python":
        return UseFStrings(with_sums=bool(words) or _OF_SUMS.search(request) is not None)
    return UseTemplateLiterals() if facts.language in _SCRIPTS else None


def _quotes(request: str, words: Words, _: Words, facts: BufferFacts) -> ChangeQuotes | None:
    """The kind of quotes to write, and in what alone; ``None`` if both kinds are named, and not one of them as the new one and the other as the old one."""
    if same := next(filter(None, (x.search(request) for x in _SAME_TEXT)), None):
        return ChangeQuotes(same["new"], same["text"]) if same["new"] != same["old"] else None
    quote = _new_quote(request)
    if not quote:
        return None
    texts = {x.strip("'\"") for x in facts.strings}
    each = tuple(" ".join(words).split())
    is_named = all(x in texts or (x in facts.names and is_code_like(x)) for x in each)
    named = each if is_named else _constants_called(each, facts)
    part = "imports" if _OF_IMPORTS.search(request) else "keys" if _OF_KEYS.search(request) else ""
    return ChangeQuotes(
        quote,
        names=named,
        constants=0 if _OF_CONSTANTS.search(request) and not named else -1,
        part=part,
        with_comments=_WITH_COMMENTS.search(request) is not None,
    )


def _new_quote(request: str) -> str:
    """The quote that a request asks for; empty if that is not clear."""
    kinds = {x["kind"].lower() for x in _QUOTES.finditer(request)}
    old = {x["kind"].lower() for x in _OLD_QUOTES.finditer(request)}
    new = {kind.lower() for x in _NEW_QUOTES.finditer(request) for kind in x.groups() if kind}
    if not kinds:
        marks = re.findall(r"(?<!\w)(['\"])(?:¤{1,3}\1)?(?!\w)", request)
        return marks[1] if len(marks) == 2 and marks[0] != marks[1] else ""
    if len(kinds) > 1:
        others = old - new if len(new) == 1 else old
        kinds = new if len(new) == 1 else kinds - old
        if kinds & old and not others:
            return ""
    elif kinds == old != new and not new:
        kinds = {"double", "single"} - old
    return {"double": '"', "single": "'"}[kinds.pop()] if len(kinds) == 1 else ""


def _constants_called(words: Words, facts: BufferFacts) -> Words:
    """The one constant that a single word calls: ``JOKES`` for "jokes"; none for other words."""
    found = [x for x in facts.names if x.isupper() and len(words) == 1 and are_forms(x, words[0])]
    return tuple(found) if len(found) == 1 else ()


USE_F_STRINGS = Cue(
    "use f-strings or template literals",
    one_of(
        r"\bf[- ]?strings?\b|(?<!\w)f[\"']¤{0,3}[\"']",  # f-string
        r"\bbackticks?\b|\btemplate[- ](?:strings?|literals?)\b|\bprefer-template\b|\$\{\}|`¤{3}`",  # template literal
        r"\b(?:string )?interpolat(?:e|ed|ion)\b",
        r"(?<!\w)%[- ]?(?:style )?formatting\b|\bpercent[- ]?(?:style )?formatting\b|\bold[- ]style formatting\b",  # % formatting
        r"(?<![\w)])\.format(?:\(\))?(?!\w)",
        r"\bmoderni[sz]e the (?:string )?formatting\b",
    ),
    one_of(
        words_like(
            r"""strings? formatt?(?:ed|ing)? format concat\w* percent(?:-format\w*)? plus(?:es)? signs? messages? texts? literals? glu(?:e|ed|ing) operators? joined join(?:ing)? together
            templates? old-style eslint linter ruff pyupgrade rule tuple complain\w* fail\w* return(?:s|ed)? python print[_\x20]out rid_of py3\d* 3\.\d+ is_so_\d+ by calls? output makes? builds? built building
            more readable legible read reads as bottom hard soup number_of one single mind"""
        ),
        r"(?<!\w)[%+](?!\w)|%-|`¤*`",
    ),
    _f_strings,
    harmless=one_of(
        r"\b(?:like|as in) [^,.;:]*",
        r"\bonly (?=f-?strings?|template)",
        r"\bkeep (?:the )?(?:\w+ )?(?:zero )?(?:padding|precision|width|rounding|alignment|formatting|decimals?|digits)\b",
        r"\binstead of (?:gluing|adding|joining|concat\w+|building|putting|sticking)\b(?: it| them| that)?(?: together)?(?: with)?",
        r"\bat the (?:bottom|top|end)\b",
    ),
    nouns=r"message|string|text|print|line|url|path|key|subject|title|error|name|f[- ]?string|template[- ](?:literal|string)|output|call|warning|exception|log|literal|row|label|return|html",
    has_plain_nouns=True,
)
CHANGE_QUOTES = Cue(
    "change the quotes",
    one_of(
        r"\b(?:double|single)[- ]?quot\w+",  # single quotes, double-quoted
        r"\bquot\w+\b(.*?)\b(?:double|single)s?\b",  # quotes: single
        r"\b(?:double|single) (?:\w+ )?quotes?\b",
        r"\b(?:double|single)s? (?:everywhere|please|pls|throughout|ones?)\b",  # doubles everywhere
        r"[\"'](?:double|single)[\"'](?: quot\w+)?",  # "double"
        r"(?<!\w)(?:'¤{0,3}'|'|\"¤{0,3}\"|\") (?:strings? )?(?:to|into|->|=>|→) (?:'¤{0,3}'|'|\"¤{0,3}\"|\")(?!\w)",  # ' -> "
        r"(?<!\w)['\"]\w+['\"] ?(?:instead of|rather than|not|over|->|=>|→|to|should be|becomes?) ?['\"]\w+['\"](?!\w)",  # 'w' instead of "w"
    ),
    one_of(
        words_like(
            r"""strings? quot\w+ single double singles consistent\w* inconsistent mixed literals? eslint prettier black linter yamllint stylelint nag\w* config\w* diff small around have has values? wants?
            unify uniform allow(?:s|ed)? only now keys? entries tuple list dict dictionary array table constants? default paths? imports? requires? names? my included incl too comments? commented-out commented"""
        ),
        r"['\"]¤{1,3}['\"]",
    ),
    _quotes,
    nouns="string|value|literal|name|key",
    harmless=one_of(
        r"\b(?:like|as) (?:in |at |with )?(?:the |all |our )?(?:\w+ )?(?:others?|rest|everywhere else|everything else|\w+ values)\b[^,.;]*",
        r"\b(?:single|double) ones\b",
        r"\bonly (?=single|double)",
        r"\b(?:double|single)[- ]quot\w+(?: strings)? only\b",
        r"\bstrings only\b",
        r"\bsome (?=\w+ (?:are|have|is)\b|singles?\b|doubles?\b)",
        _WITH_COMMENTS.pattern,
    ),
    against=one_of(r"\btriple\b|\bdocstrings?\b|\bescape\b|\bput quotes\b"),
)
