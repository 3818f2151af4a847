"""Takes off what surrounds a request and says nothing about it: politeness, reasons, the place in a file.

"Could you rename a to b in this file, because it is shorter?" asks to "rename a to b". What is taken off is
tried, never believed: a row (``matching``) has to match the rest. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from editd.intent.clause import Clause, Remark, without_politeness
from editd.intent.english import QUOTED, USES, plain_name
from editd.intent.restrictions import FOR_A_QUALITY, begins_as_reason, is_remark

_MOST = 24  # ways to look at one instruction

_NOUNS = frozenset("import comment log type call print use cut handle document".split())  # noqa: SIM905 - with an s
_IRREGULAR = {
    "made": "make",
    "took": "take",
    "got": "get",
    "threw": "throw",
    "wrote": "write",
    "gave": "give",
}
_INFLECTED = re.compile(
    r"[a-z]+(?:s|ed|ing)\b|made\b|took\b|got\b|threw\b|wrote\b|gave\b", re.IGNORECASE
)
_SED = re.compile(
    r"s(?P<cut>[/|#])(?P<old>[^\\/|#^$*+?\[\](){}]+)(?P=cut)(?P<new>[^\\/|#&]+)(?P=cut)[gimI]{0,3}"
)
_NAMES = re.compile(r"s(?P<cut>[/|#])[^\W\d]\w*(?P=cut)[^\W\d]\w*(?P=cut)\w*")
_NUMBERS = re.compile(r"(?<![\w.])(\d[\d.]*)s\b")  # "all 99s"
_UNQUOTED = re.compile(
    r"(?:[Rr]eplace|[Cc]hange) (?:the )?(?:text|message|label|title|caption|prompt) (?P<old>[A-Z][^\"'`]*)"
    r" (?:with|by|to|into) (?P<new>[A-Z][^\"'`]*)"
)
_LINE_OF_CODE = re.compile(
    r"\b(?:the|that|this) (?:lines?:? (?P<code>[^`\"']*[=(;][^`\"']*|(?:import|from) [^`\"']+)$"
    r"|(?P<before>(?:import|from) [\w. ]+?) line\b)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:(?:please|pls|plz|kindly|now|ok(?:ay)?|so|just|hey|hi|also|first|next|then|todo|hello"
    r"|(?:can|could|will|would) (?:you|we|u)(?: please| pls| kindly| just)?"
    r"|(?:i|we)(?: want| need|'d like| would like|'d love)(?: you)? to|(?:you|we) (?:should|must|need to|can)"
    r"|(?:i was|i am|i'm|we were) (?:just )?wondering (?:if|whether) (?:you|we) (?:could|can|might)"
    r"|let's|let us|let me|go ahead and|make sure (?:to|that you)|don't forget to|try to|help me(?: to)?"
    r"|i (?:think|guess|believe|feel)(?: that)?(?: (?:you|we) should)?|it would be (?:nice|great|good) (?:to|if you could)"
    r"|(?:would|is) it (?:be )?possible to|feel free to|you forgot to|i forgot to|time to|(?:fix|correct|fixed|fixes) (?:(?:the|a|this) )?(?:spelling|typo|misspelling|abbreviation|mistake)(?: here| error)?(?: (?:in|of) (?:the )?(?:name|identifier|variable))?|typo:|(?:refactor|fix|chore|style|docs|clean-?up|clean up|feat|wip):|be so kind (?:(?:as|and) to|and))(?:[,:!]* )"
    r"|(?:(?:would you |do you )?mind|how about|what about) (?P<gerund>[a-z]+ing)(?= ))",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"[,.!? ]+(?:please|pls|plz|any ?more|any longer|(?:many )?thanks(?: a lot| so much| in advance| a million)?|thank you(?: very much| so much| in advance)?|thx|ok|for me|if you can|if possible|asap|too|as well|also|again"
    r"|for good|completely|entirely|altogether|from now on|now|right away|(?:please )?(?:update|fix|change|adjust|adapt|correct) (?:it|them|(?:(?:all|the|this|its|every) )*(?:file|code|callers?|calls|call sites|usages?|uses|references|occurrences|rest|name|spelling|string|text|number|value|message))(?: accordingly)?|(?:and )?nothing else|by the way|for (?:this|it) to work"
    r"|\((?!(?:with|but|keep|keeping|except|only|and|not|no|unless|if|when|once|where|provided|without|in|inside|within|of)\b)(?P<remark>[^()]*)\)|:\))$",
    re.IGNORECASE,
)
_FILE = (
    r"(?:this|the|my|our|that|all of the|all of this|all the) (?:(?:whole|entire|current|given|same|\w+\.\w+) )*"
    r"(?:(?:file|module|buffer|text|program|document|snippet|source|page)s?|code|script|project|codebase|here)"
)
_ANYWHERE = re.compile(
    rf"[, ]+(?:out of (?:here|this)|(?:all )?(?:in|from|throughout|across|over|of|for|on|inside|within|out of) {_FILE}"
    r"|everywhere(?: in here)?|throughout|globally|here|in here|in all places|all over(?: the place)?|(?:wherever|everywhere|where) (?:it|they) (?:(?:is|are) used|occurs?|appears?|stands?)"
    rf"|(?P<uses>(?:with|and|including|in|at) (?:all )?(?:of )?(?:(?:its|the|their) )?{USES})"
    r"|(?:(?:also|and|even),? (?:also )?in|(?:and |even |also )?including) (?:the |all )?comments(?: and docstrings)?)$",
    re.IGNORECASE,
)
_FIRST_ANYWHERE = re.compile(
    rf"(?:(?:in|throughout|from|across) {_FILE}|everywhere|(?:in )?(?:the )?same file[,:])[, ]+",
    re.IGNORECASE,
)
_KIND_OF_FILE = re.compile(
    r"\b(?:this|the|our|my) (?:(?:whole|entire) )?(?:stylesheet|style sheet|dockerfile|makefile|compose file|workflow file"
    r"|(?:config|configuration|settings|css|yaml|json|toml|docker|build|source|header) file)\b(?! \w+ (?:to|with)\b)",
    re.IGNORECASE,
)
_AS_CODE = re.compile(r"(`|\"|')((?:from [\w.]+ )?import [^`\"']+)\1")
_OF_CALLS = re.compile(
    r"(?:`|'|\")((?:print|printf|println|console\.log|System\.out\.println)(?:\([^`'\"]*\))?)(?:`|'|\")"
)
_POSSESSIVE = re.compile(
    r"\b((?:class|function|method) )?([^\W\d][\w.]*)'s ((?:name|body|docstring|return (?:type|value)"
    r"|(?:(?:argument|parameter|method) \w+|\w+ (?:argument|parameter|method))))\b",
    re.IGNORECASE,
)
_MEMBER = re.compile(  # "rename Cart's total to amount"
    r"^((?:rename|relabel|set|change) )(?:the class )?([^\W\d][\w.]*)'s ([^\W\d]\w*)(?= (?:to|as|into|->|from)\b)",
    re.IGNORECASE,
)
_ARROW = re.compile(r"->|=>|→")
_CUTS = re.compile(
    rf"(?P<quoted>{QUOTED})"
    r"|(?:[,;:!?…]|(?<!incl)\.|\.\.\.)(?: -)?(?: so| therefore)? | --? | – | \((?=[^()]*\)$)| (?=because |since |so (?:that|it|the|we|they|i|you) |as it |as we |to match "
    rf"|{FOR_A_QUALITY}\b"
    r"|in order |to avoid |to keep |to be |to reflect )| (?:->|=>|→) (?=(?:please|delete|remove|drop|throw|rename|replace|use|comment|sort) )|,? so (?=please |let's |remove |delete |drop |throw |we |rename |import |use |replace )"
    r"| and (?=it |they )| - ",
    re.IGNORECASE,
)
_VERBS = """
    rename relabel replace change swap switch turn update set convert use call make delete remove drop erase
    strip kill nuke cut take get throw clean clear add insert put append write document give wrap surround
    guard catch handle import include bring load log annotate type declare sort comment uncomment move
    reduce increase lower decrease bump extract refactor simplify fix rewrite translate split merge keep leave return raise print say let
"""
_ANY_VERB = "|".join(_VERBS.split())
VERB = re.compile(rf"(?:(?:also|then|please) )*(?:{_ANY_VERB})\b", re.IGNORECASE)
_VERBLESS = re.compile(  # a request all the same: "single quotes, and sort the imports"
    r"(?:no unused|(?:single|double) quotes?|f-?strings?|early returns?|guard clauses?|isort)\b",
    re.IGNORECASE,
)
# Verbs that ask, too, though no row begins with them; and "f -> bool" asks without any.
_OTHER_VERB = re.compile(
    r"(?:(?:also|then|please) )*(?:disable|enable|activate|deactivate|bump|upgrade|downgrade|increase|raise|create|implement|inline"
    r"|memoize|cache|format|reformat|indent|install|copy|duplicate|rework|restructure|optimi[sz]e|improve|check|verify|test|define|mark|pass"
    r"|assign|initiali[sz]e|reset|restore|revert|unwrap|collapse|combine|join|shorten|expand|invert|negate|flip|skip|escape|expose|hide|show"
    r"|export|round|validate|ensure|close|run|start|stop|default|prefer|pin|require|allow|forbid|limit|make|set)\b",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"->|=>|→|\w = \S")
# "timeout 30, retries 5" are two requests.
_A_SETTING = re.compile(
    r"(?:[\w.-]+=\S+|(?!(?:we|i|it|they|you|he|she)\b|pep\b|issue\b|ticket\b|bug\b|see\b|fix\w*\b|closes\b|refs?\b|lines?\b|error\b|rule\b)[\w.#/-]+(?: [\w-]+){0,2} ?"
    rf"(?:[=:]|to|should be|must be|with)? ?(?:[<>=~^]*\d[\w.%]*|true|false|on|off|yes|no|null|none|{QUOTED}))",
    re.IGNORECASE,
)
_TWO_WORDS = re.compile(r"[\w.-]+:? [\w.-]+")  # "theme dark, size 14"
_CALLED = (
    r"(?:the )?(?:(?:function|method|class|module|struct) )(?:called |named )?(?P<called>[`'\"]?[^\W\d][\w.]*[`'\"]?(?:\(\))?)"
    r"|(?:the )?(?P<code>`[^\W\d][\w.]*(?:\(\))?`|[^\W\d][\w.]*\(\)|[^\W\d]\w*_\w+|(?-i:[a-z]+[A-Z]\w*|[A-Z][a-z]\w*))"
    r"(?: (?:function|method|class|struct))?"
)
# In what alone: "only in the comments"
_KIND = r"(?:(?:but )?only )?(?:in|inside|within) (?:the |all (?:the )?|my )?(?P<kind>comments?|docstrings?|strings?)(?: only| alone)?"
_AT_KIND = re.compile(rf"[, (]+{_KIND}\)?$", re.IGNORECASE)
_FIRST_AT_KIND = re.compile(rf"{_KIND}(?:, ?|: ?| (?={VERB.pattern}))", re.IGNORECASE)
_TEXT = r"(?:the |any )?(?:comments?|docstrings?|strings?)"
_NOT_IN_TEXT = re.compile(
    rf"[, (–-]+(?:(?:but )?(?:not|except) (?:in|inside) {_TEXT}(?:(?:,| or| and| nor)+ (?:in )?{_TEXT})*|(?:but )?only in (?:the )?code"
    r"|in (?:the )?code only)\)?$",
    re.IGNORECASE,
)
_COMMENTS_TOO = re.compile(
    r"[, (]+(?:(?:and|even|also) )*(?:in|including) (?:the |all )?comments(?: and docstrings)?,? (?:too|as well|also)\)?$",
    re.IGNORECASE,
)
_OWNER = r"(?: (?:of|in) (?:the )?(?:class )?(?P<owner>[`'\"]?[^\W\d]\w*[`'\"]?)(?: class)?)?"
_BEHIND = (  # "the total function"
    r"(?:the )?(?!(?:this|that|the|all|each|every|any|both|whole|entire|same|my|our)\b)"
    r"(?P<behind>[`'\"]?[^\W\d]\w*[`'\"]?) (?:function|method|class|struct)"
)
_VAGUE = r"(?:the|all|every|each|my|our|those|these|both|string|sql|json) (?:[\w'-]+ ){0,2}[\w'-]+"
# Any other word: only a buffer that defines it says whether it is a place.
_BARE = r"(?P<bare>[`'\"]?[^\W\d]\w*(?:(?:\.|::|#)\w+)*[`'\"]?(?:\(\))?)"
_PLACE = rf"(?:(?P<of>of|from)|in|inside(?: of)?|within) (?:(?:{_CALLED}){_OWNER}|{_BEHIND}|(?(of)(?!)|{_VAGUE})|{_BARE})"
_AT_PLACE = re.compile(rf"[, (]+(?:(?:but )?only )?{_PLACE}(?: only| alone)?\)?$", re.IGNORECASE)
_FIRST_AT_PLACE = re.compile(
    rf"(?:only )?(?!from){_PLACE}(?:, ?|: ?| (?={VERB.pattern}))", re.IGNORECASE
)
# As in "load: return early", "load() should return early", "make load return early", "convert load to f-strings".
_A_HEAD = r"(?:(?:the )?(?:function|method|class) )?(?P<name>`?[^\W\d][\w.]*(?:\(\))?`?)(?: function| method| class)?"
# "also in main" is no limit.
_TOO = re.compile(r"\b(?:also|even|and|too|including|incl\.?|as well|plus)$", re.IGNORECASE)
_EXCEPTING = re.compile(
    r"(?:\bnot|n['’]t|\bexcept|\bbesides|\bexcluding|\bthan|\bapart)$", re.IGNORECASE
)
_HEADINGS = (
    (re.compile(rf"{_A_HEAD}: (?=\w)", re.IGNORECASE), ""),
    (
        re.compile(
            rf"{_A_HEAD} (?:should|must|has to|needs to|ought to) (?=(?:{_ANY_VERB}|open|read|return|raise|exit|ignore)\b)",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(rf"(?:make|let|have) {_A_HEAD} (?=(?:use|open|return)\b)", re.IGNORECASE), ""),
    (
        re.compile(
            rf"(?:convert|change|switch|port|migrate|rewrite|move|update) {_A_HEAD} (?:over )?to (?:use |using )?"
            r"(?=(?:an? )?(?:f-?strings?|f strings?|with|template|context|early|guard|logging|log\w*\.)\b)",
            re.IGNORECASE,
        ),
        "use ",
    ),
)
_MIDDLE_PLACE = re.compile(
    rf" (?:only )?{_PLACE}(?= (?:to|as|into|with|by|->|instead|rather|at|(?:in|inside|using) an?) )",
    re.IGNORECASE,
)
# Words that requests are made of, and words that may be slips of these.
_SPELLED = frozenset(
    """
    the import imports unused remove delete rename replace comment comments docstring docstrings print prints logging
    function sort convert double single quotes early return invert statement statements variable parameter instead
    formatting template literal context manager
    """.split()  # noqa: SIM905
)
_MISSPELLED = re.compile(r"(?<![\w`'\"./-])[a-z]{3,}(?![\w`'\"(./-])")
_TRIPLE = re.compile(r"(\"\"\"|\'\'\')([^\"\n]+)\1")
# A call with arguments, which has to stay in one piece: "add log.info("start") at the top of run"
_A_CALL = re.compile(
    r"(?P<verb>(?:.{0,60}[,:] )?(?:add|put|insert|write|call|use)(?: (?:a|the))?(?: (?:line|statement|call))? )"
    r"(?P<code>[^\W\d][\w.]*!?\((?:[^()`]|\([^()`]*\))*\);?)(?= )",
    re.IGNORECASE,
)
# Words of a language in quotes, which are no texts: use "with"
_KEYWORD = re.compile(
    r"([\"'`])(with(?: open)?|continue|try|isort|\.format|format|f-strings?|finally|%)\1"
)
_WHERE_FIRST = re.compile(
    r"(?:only )?(?:in|inside|within) |(?:if|unless|until|once|provided|assuming|in case|only)\b",
    re.IGNORECASE,
)
_LATER_VERB = re.compile(
    rf"(?:[,;.:]|\band|\bthen|\bbut|\bplease|\balso)(?: (?:then|also|please|so))* (?:{_ANY_VERB})\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:should(?! not\b|n't)|must|please|pls|needs? to|ha(?:s|ve) to|ought|want|instead|rather)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r"^(?:(?:so|then|therefore|and|please|pls|just|better)[, ]+)*", re.IGNORECASE)
_IT = re.compile(
    r"\b(?:it|them all|them|those|these|(?:the|this|that) (?P<kind>function|method|class|variable)\b"
    r"(?! (?!(?:to|with|by|as|into|in|and|should|must|has|needs|is|entirely|completely|instead|please|too|now)\b)[`'\"\w]))"
    r"\b(?! \w+ ?\()",
    re.IGNORECASE,
)
_WITHOUT_OBJECT = re.compile(
    r"(?:rename|delete|remove|drop|erase|change|replace)(?= (?:to|with|by|as)\b|$)", re.IGNORECASE
)
_BETTER_NAME = re.compile(
    r" (?:says more|says it better|tells more|fits|fits better|describes it(?: better)?)$"
    r"| (?:is|would be|sounds|seems|may be|might be) (?:a |an |the |much )?(?:better|clearer|nicer|good|right|proper|more \w+)"
    r"(?: (?:name|choice|one|fit))?$",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b((?:debug(?:ging)? )?(?:console\.log|printf|println|print)(?: statement| call)?s|comments|f-?strings|(?:unused )?imports)\b",
    re.IGNORECASE,
)
# A place is not what the sentence is about: "the print in top() is noise"; but "the name of x" is x.
_HAS_ANOTHER = re.compile(  # "load has a pointless comment, remove it"
    r"\b(?:has|have|contains?) (?:still |also |only )?(?:an?|some|this|that) (?!(?:[\w-]+ ){0,3}names?\b)[\w-]+",
    re.IGNORECASE,
)
_BEFORE_ITS_NOUN = re.compile(  # the 'walked' log
    r" (?:log|print|println!?|printf|console\.log|echo|comment|todo|remark|call|loop|check|message|output)\b",
    re.IGNORECASE,
)
_BEFORE_A_PLACE = re.compile(
    r"(?<!name )(?<!names )(?<!caller )(?<!callers )(?<!use )(?<!uses )(?<!usages )(?<!calls )(?<!call )(?<!references )\b(?:in|inside|within|into|from|of|at|on|above|below|under|before|after|behind|by|with|for|to|outside)"
    r" (?:the |our |my )?(?:(?:function|method|class|struct|module) )?$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"{QUOTED}|(?<![\w.])\d[\d_.]*\d|(?<![\w.])\d\b|\b[^\W\d]\w*\(\)"
    r"|(?<![\w.])(?=[\w.]*(?:\w_|_\w|[a-z][A-Z]|[A-Za-z]\w\.[A-Za-z]\w))[^\W\d]\w*(?:\.[^\W\d]\w*)*"
)
_SUBJECT = re.compile(
    r"(?:^the (?=\w+ (?:function|method|class|variable|constant) )|^|\b(?:name|names|builtin|variable|function|method|class|identifier) )(?:the name )?(?!the\b|it\b|this\b|that\b|we\b|i\b|there\b|company\b)"
    r"([^\W\d]\w*)(?= (?:(?:function|method|class|variable|constant) )?(?:(?:is|doe)(?:s|n't)?|says|sounds|means|tells|has|was|shadows|hides|clashes|collides|looks|stands|holds|contains|stores|needs|deserves|reads|describes)\b|$)",
    re.IGNORECASE,
)
_ACCESSOR = re.compile(  # "and its setter setName to setTitle"
    r"^(rename |relabel )(?:the |its |their )?(?:state variable|setter|getter)s? (?=\S+ (?:to|into|as|->) )",
    re.IGNORECASE,
)
_USUAL_FORMS = (
    (_OF_CALLS, r"\1"),
    (_POSSESSIVE, r"\3 of \1\2"),
    (_MEMBER, r"\1\3 of \2"),
    (_KEYWORD, r"\2"),
    (_ACCESSOR, r"\1"),
)


def without_context(instruction: str) -> Iterator[Clause]:
    """Yield the request without politeness, then with less and less around it, in the order in
    which things are taken off, each text once, at most 24.
    """
    waiting = [Clause(without_politeness(instruction))]
    known: set[str] = set()
    while waiting and len(known) < _MOST:
        clause = waiting.pop(0)
        if clause.text not in known:
            known.add(clause.text)
            yield clause
            waiting += _shortened(clause)


def _shortened(clause: Clause) -> Iterator[Clause]:
    """Yield the request with one thing less around it, or in more usual words: a clause for each
    way to do that.

    An opening ("please", "can you") is the only way if there is one. Else a courtesy or "in
    comments, too" at the end is the last way, after the usual words for verbs, ``s/a/b/`` and
    numbers.
    """
    words = clause.text
    if opening := _ASKING.match(words):
        rest = words[opening.end() :]
        if gerund := opening["gerund"]:
            rest = f"{_base_forms().get(gerund.lower(), gerund)}{rest}"
        yield replace(clause, text=rest)
        return
    yield from _reworded(clause)
    if end := _COMMENTS_TOO.search(words):
        yield replace(clause, text=words[: end.start()])
        return
    if (end := _COURTESY.search(words)) and (not end["remark"] or is_remark(end["remark"])):
        yield _with_remark(clause, words[: end.start()], end["remark"])
        return
    if (end := _ANYWHERE.search(words)) and end.start():
        yield _with_remark(clause, words[: end.start()], end["uses"])
    if begin := _FIRST_ANYWHERE.match(words):
        yield replace(clause, text=words[begin.end() :])
    for pattern, usual in _USUAL_FORMS:
        if (changed := pattern.sub(usual, words)) != words:
            yield replace(clause, text=changed)
    if "import " in words and (bare := _AS_CODE.sub(r"\2", words)) != words:
        yield replace(clause, text=bare)
    if not clause.location and not clause.only:
        yield from _without_location(clause)
    yield from _without_remark(clause)


def _reworded(clause: Clause) -> Iterator[Clause]:
    """Yield the request in more usual words, one for each way that applies: a misspelt verb, "Renamed a to b",
    "s/a/b/", "the line x = 1", "all 99s" and the like.
    """
    words = clause.text
    if (spelled := _MISSPELLED.sub(_corrected, words)) != words:
        yield replace(clause, text=spelled)
    if (plain := _KIND_OF_FILE.sub("this file", words)) != words:
        yield replace(clause, text=plain)
    if (single := _TRIPLE.sub(r'"\2"', words)) != words:
        yield replace(clause, text=single)
    if call := _A_CALL.match(words):
        text = f"{call['verb']}`{call['code']}`{words[call.end() :]}"
        yield replace(clause, text=text)
    if (begin := _INFLECTED.match(words)) and (verb := _base_forms().get(begin[0].lower())):
        yield replace(clause, text=f"{verb}{words[begin.end() :]}")
    if sed := _SED.fullmatch(words):
        verb, mark = ("rename", "`") if _NAMES.fullmatch(words) else ("replace", '"')
        old, new = (f"{mark}{sed[role]}{mark}" for role in ("old", "new"))
        yield replace(clause, text=f"{verb} {old} {'to' if verb == 'rename' else 'with'} {new}")
    if code := _LINE_OF_CODE.search(words):
        line = code["code"] or code["before"]
        text = f"{words[: code.start()]}the line `{line}`{words[code.end() :]}"
        yield replace(clause, text=text)
    if (exact := _NUMBERS.sub(r"\1", words)) != words:
        yield replace(clause, text=exact)
    if unquoted := _UNQUOTED.fullmatch(words):
        text = 'replace "{old}" with "{new}"'.format(**unquoted.groupdict())
        yield replace(clause, text=text)


def _corrected(word: re.Match[str]) -> str:
    """The first known word with the same first letter that ``word`` is a slip of: two neighbouring letters exchanged,
    or one missing or doubled; else ``word`` itself.
    """
    text = word[0]
    if text in _SPELLED:
        return text
    for known in _SPELLED:
        if abs(len(known) - len(text)) > 1 or known[0] != text[0]:
            continue
        if len(known) == len(text) and sorted(known) == sorted(text):
            different = [n for n, (a, b) in enumerate(zip(known, text, strict=True)) if a != b]
            if len(different) == 2 and different[1] == different[0] + 1:
                return known
        long, short = (known, text) if len(known) > len(text) else (text, known)
        cuts = {long[:n] + long[n + 1 :] for n in range(len(long))}
        is_doubled = long == known or re.search(r"(.)\1", long) is not None
        if len(long) > len(short) and short in cuts and is_doubled:
            return known
    return text


def _without_remark(clause: Clause) -> Iterator[Clause]:
    """Yield the request without each reason after it, or statement before it, that can be cut off and becomes its
    remark.

    Also, with no remark, the text after a colon if that has an arrow ("as follows: a -> b"). Cuts in quotes do not
    count.
    """
    words = clause.text
    for cut in _CUTS.finditer(words):
        if cut["quoted"]:
            continue
        before, after = words[: cut.start()], words[cut.end() :]
        if cut[0].startswith(":") and _ARROW.search(after):
            yield replace(clause, text=after)
        if _is_reason(after) and before:
            yield _with_remark(clause, before, after)
        if _is_statement(before) and not (
            _TWO_WORDS.fullmatch(before) and _A_SETTING.fullmatch(after)
        ):
            for text, is_about_it in _after_statement(before, after):
                yield _with_remark(clause, text, before, is_about_it=is_about_it)


def _with_remark(
    clause: Clause, text: str, remark: str | None, *, is_about_it: bool = False
) -> Clause:
    """The request in the words ``text``, with one more remark, if that is not empty."""
    more = (Remark(remark, is_about_it),) if remark else ()
    return replace(clause, text=text, remarks=clause.remarks + more)


def _without_location(clause: Clause) -> Iterator[Clause]:
    """Yield each reading of the request without the words for its place, which becomes its ``location``: "… in load",
    "in load, …", "rename … in load to …". Yields nothing if no place is named, nor for "also in load", which is no
    limit, and "not in load", which is another.

    A kind of text becomes its ``only`` (``comments`` for "in the comments", ``code`` for "not in strings" at the end),
    and is then the only reading. ``is_vague`` is set if the place has no name ("this function"), ``is_bare`` if neither
    a kind nor code marks the name as a definition's.
    """
    words = clause.text
    if part := _NOT_IN_TEXT.search(words):
        yield replace(clause, text=words[: part.start()], only="code")
        return
    for part in (_AT_KIND.search(words), _FIRST_AT_KIND.match(words)):
        if part:
            rest = words[: part.start()] + words[part.end() :]
            yield replace(clause, text=rest, only=f"{part['kind'].lower().rstrip('s')}s")
            return
    for pattern, verb in _HEADINGS:
        if heading := pattern.match(words):
            name = plain_name(heading["name"])
            text = verb + words[heading.end() :]
            yield replace(clause, text=text, location=name, is_bare=True)
    for part in (
        _AT_PLACE.search(words),
        _FIRST_AT_PLACE.match(words),
        _MIDDLE_PLACE.search(words),
    ):
        if (
            part is None
            or _TOO.search(before := words[: part.start()])
            or _EXCEPTING.search(before)
        ):
            continue
        rest = words[: part.start()] + words[part.end() :]
        found = part.groupdict()
        definition = found["called"] or found["code"]
        name = definition or found["behind"] or found["bare"] or ""
        location = plain_name(name or part[0].strip(" ,"))
        if definition and found["owner"]:
            location = f"{plain_name(found['owner'])}.{location}"
        yield replace(
            clause, text=rest, location=location, is_vague=not name, is_bare=not definition
        )


def _is_reason(text: str) -> bool:
    """Whether ``text`` only says why: "because …", "it is too long"."""
    return begins_as_reason(text) and not _asks(text)


def _is_statement(text: str) -> bool:
    """Whether ``text`` asks for nothing: "the imports are a mess". ``False`` if it is empty or a courtesy alone, begins
    with a verb that asks, has an arrow or an assignment, or is a name with a value.
    """
    text = _COURTESY.sub("", text)
    asks = (
        VERB.match(text)
        or _VERBLESS.match(text)
        or _OTHER_VERB.match(text)
        or _SIGNED.search(text)
        or _A_SETTING.fullmatch(text)
        or _WHERE_FIRST.match(text)
        or _asks(text)
    )
    return bool(text) and not asks


def _asks(text: str) -> bool:
    """Whether a modal verb, or a verb behind a comma or "and", asks for something."""
    return bool(_MODAL.search(text) or _LATER_VERB.search(text))


def _after_statement(before: str, after: str) -> Iterator[tuple[str, bool]]:
    """Yield the request ``after`` a statement, and whether "it" there was replaced by what the statement ``before``
    names. A request without "it" is yielded as it is; if it begins with a verb without object, or is about a better
    name, also with "it" put in and replaced.

    Nothing for a request with "it" if the statement names no or several things that "it" could be.
    """
    after = _JOINT.sub("", after, count=1)
    it = _IT.search(after)
    if it is None:
        yield after, False
        if bare := _WITHOUT_OBJECT.match(after):
            yield from _after_statement(before, f"{bare[0].rstrip()} it{after[bare.end() :]}")
        elif _BETTER_NAME.search(after):
            name = _BETTER_NAME.sub("", after)
            yield from _after_statement(before, f"{name} is a better name for it")
        return
    if it[0].lower() in ("them", "those", "these", "them all"):
        if many := _MANY.search(before):
            yield f"{after[: it.start()]}the {many[1]}{after[it.end() :]}", True
        return
    named = [
        m[0]
        for m in _NAMED.finditer(before)
        if not _BEFORE_A_PLACE.search(before[: m.start()])
        and not _BEFORE_ITS_NOUN.match(before, m.end())
    ]
    if not named and not _NAMED.search(before):
        named = [m[1] for m in _SUBJECT.finditer(before)]
    if len(set(named)) == 1 and not _HAS_ANOTHER.search(before):
        name = named[0]
        kind = f"the {it['kind']} " if it["kind"] else ""
        shown = name if name[0] in "`'\"“" or name[0].isdigit() else f"`{name}`"
        yield f"{after[: it.start()]}{kind}{shown}{after[it.end() :]}", True


@cache
def _base_forms() -> dict[str, str]:
    """The verbs that ask, by the forms in which a message tells of an edit: "renamed", "adds",
    "removing" (in lower case). Made once.
    """
    forms = dict(_IRREGULAR)
    for verb in _VERBS.split():
        stem = verb.removesuffix("e") if verb.endswith("e") else verb
        stems = [stem, verb + verb[-1]] if verb[-1] in "pgt" else [stem]
        forms |= {f"{form}{end}": verb for form in stems for end in ("ed", "ing")}
        forms |= {f"{verb}d": verb} if verb[-1] == "e" else {}
        forms |= {f"{verb}s": verb} if verb not in _NOUNS else {}
    return forms
