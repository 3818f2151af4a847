"""Evidence for edits of a described target: something goes, becomes a comment, or code again.

"the X-Mailer header gets us flagged as spam, lose it" has a request ("lose it") and a clause that says what is meant and why.
A request with words of its own is decided by these: each has to fit the target (``refactor.edit_target`` looks for the one thing
of the buffer that they fit). Where it only has a pronoun or a noun, the other clauses say what is meant, and may say more. The
head of the description decides: what stands behind "in", "from" or "under" is around the target. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.intent.english import QUOTED, is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.intents import EditTarget
from editd.intent.target import TargetDescription, TargetWord


def _any(words: str) -> str:
    """A pattern for one of these words, which are parted by blanks; ``_`` is a blank in a word."""
    return "(?:" + "|".join(words.split()).replace("_", "[ ]") + ")"


_NOUNS = {
    noun: kind
    for kind, nouns in {
        "comment": "comment remark todo fixme xxx hack annotation doc-comment",
        "print": "output message notice notification print println printf println! print! console.log echo system.out system.out.println fmt.println printout dbg! eprintln! console",
        "log": "log logging",
        "definition": """
            function method helper func fn class struct enum interface getter setter routine def procedure constructor trait
        """,
        "test": "test testcase",
        "route": "route endpoint",
        "argument": "argument arg param parameter cli-flag",
        "entry": """
            option setting key entry property prop header field attribute attr flag switch variable var const constant env dependency dep
            package library script service volume port section table rule selector column label job alias value pair plugin feature
            style declaration config target volume mount limit limits default
        """,
        "statement": "call line statement step command instruction row assignment invocation layer action element item member",
        "check": "check condition if guard branch validation",
        "loop": "loop",
        "block": "block lines code",
        "import": "import require include",
    }.items()
    for noun in nouns.split()
}
_PLURALS = {"entries": "entry", "dependencies": "dependency", "properties": "property", "libraries": "library", "echoes": "echo",
            "aliases": "alias", "classes": "class", "boxes": "box", "prints": "print", "switches": "switch", "branches": "branch",
            "consoles": "console"}  # fmt: skip
_PRINTED = frozenset(["output", "outputs", "noise", "spam", "out", "outs"])  # "the print outs"
_COUNTS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MANY = frozenset(["all", "every", "each", "any", "everything"])
_FILLERS = frozenset(
    """
    the a an this that these those it its them they one ones thing things stuff bit piece part such same whole entire own
    please pls plz thx thanks just now too also again anymore more any longer already really actually simply completely entirely
    again altogether totally for with about regarding concerning to saying says say mentioning containing called named by like as into
    and or so then here there out away off back up down on at where our my your his her their we i you can could
    way some bye bit few moment time today temporarily meantime currently right still yet only file module script program code
    workflow pipeline dockerfile makefile stylesheet sheet impl parser buffer document page self do not don't
    class-level file-level function-level top-level is are was were
    """.split()  # noqa: SIM905
)
_ADJECTIVES = frozenset(
    """
    debug debugging old legacy unused deprecated obsolete dead stray leftover left over useless pointless noisy temporary temp
    unneeded unnecessary redundant superfluous silly stupid annoying ugly outdated stale wrong broken commented commented-out
    disabled single only little small big long short forgotten remaining random extra empty verbose duplicate lone
    """.split()  # noqa: SIM905
)
_STOPS = frozenset(
    """
    which who whom whose because since nobody noone no-one is are was were isn't aren't wasn't has have had hasn't haven't does
    doesn't do don't did didn't can can't cannot could must mustn't should shouldn't will won't would we i they it he she you
    gets got makes breaks spams costs hides needs uses never always when while until till
    """.split()  # noqa: SIM905
)
"""Words with which the description of a thing has ended."""
_WHERE = {
    **dict.fromkeys(("in", "inside", "within", "from", "under"), "in"),
    **dict.fromkeys(("of", "on", "at"), "of"),
    **dict.fromkeys(("above", "over", "before", "atop"), "above"),
    **dict.fromkeys(("below", "beneath", "after", "behind", "following", "underneath"), "below"),
}
_OWN = frozenset(
    [
        "about",
        "for",
        "to",
        "with",
        "saying",
        "says",
        "mentioning",
        "regarding",
        "concerning",
        "containing",
        "called",
        "named",
        "like",
        "by",
        "as",
        "that",
    ]
)
_ENDS = {"end": "last", "bottom": "last", "top": "first", "start": "first", "beginning": "first"}

_LEAD = rf"""(?:{_any("please pls plz so and then just now also hi hey hello ok okay well but let's let_us kindly better go_ahead_and feel_free_to time_to to safe_to therefore thus temporarily quickly simply for_now")}[,]?[ ]
    |(?:can|could|would|will)[ ](?:you|we|someone|u)[ ]|(?:you|we)[ ](?:can|could|should|may|must|need[ ]to|have[ ]to|want[ ]to)[ ]
    |i(?:[ ]?'d)?[ ](?:want|like|need|would[ ]like)(?:[ ]you)?[ ]to[ ]|(?:need|want)[ ]to[ ])*"""


def _begins(words: str) -> re.Pattern[str]:
    """A pattern for a clause that begins with one of these, after words that ask."""
    return re.compile(rf"^{_LEAD}(?P<cue>(?:{words}))(?![\w-]|\.\w)", re.IGNORECASE | re.VERBOSE)


_MODAL = r"(?:can|may|must|should|could|might|has[ ]to|have[ ]to|needs[ ]to|need[ ]to|ought[ ]to|is[ ]to|are[ ]to|shall|to)(?:[ ](?:\w+ly|now|all|both|just|please|finally))*"
_DELETED = r"(?:deleted|removed|dropped|killed|stripped|erased|thrown[ ](?:out|away)|taken[ ](?:out|away)|cut|scrapped|purged|nuked|trashed|ditched)"
_TAIL = r"(?:[ ](?:now|please|pls|too|away|as[ ]well|completely|entirely|then|for[ ]good|all|both|from[ ]here|here))*"
_DELETES = (
    _begins(
        r"delete|remove|drop|kill|nuke|erase|lose|ditch|scrap|trash|purge|axe|zap|bin|rm|chuck|toss|strip|cut|clear|get[ ]rid[ ]of"
        r"|(?:away|down|out|off)[ ]with|stop(?=[ ]\w+ing\b)|eliminate|discard"
    ),
    _begins(
        r"(?:throw|take|rip|pull|clean|tear|yank|wipe|get|kick|leave|edit)(?=\b.*\b(?:out|away|off|down)\b)"
    ),
)
_IS_DELETED = (
    re.compile(rf"\b{_MODAL}[ ]be[ ]{_DELETED}\b", re.IGNORECASE),
    re.compile(
        rf"\b{_MODAL}[ ](?:go|disappear|vanish|leave)\b(?:[ ](?:the|this|our)[ ](?:code[ ]?base|file|repo|code))?{_TAIL}$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|(?<=\S)[ ])(?:goes|gotta[ ]go|go|out|bye(?:[ -]?bye)?|away|begone|(?:please|pls|plz)[ ](?:remove|delete|drop|kill|erase|nuke))(?:[ ](?:it|this|that|them))?{_TAIL}$",
        re.IGNORECASE,
    ),
)
_IS_NEEDLESS = (
    re.compile(
        r"\b(?:is|are|isn't|aren't|was|were)[ ](?:not|no[ ]longer|never)?[ ]?(?:needed|necessary|required|wanted)\b(?:[ ](?:any[ ]?more|any[ ]longer|now|here))*",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:should[ ]not|shouldn't|must[ ]not|mustn't|does[ ]not|doesn't|do[ ]not|don't)[ ](?:be|belong|stand)[ ](?:there|here|in[ ]there)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:we |i )?(?:don't|do not|no longer|doesn't|does not) (?:really )?(?:need|have any use for)(?= )",
        re.IGNORECASE,
    ),
    re.compile(
        r" (?:is|are)(?: just| only| pure| mere| total)? (?:noise|superfluous|useless|redundant|pointless|clutter|needless|unnecessary|unneeded)$",
        re.IGNORECASE,
    ),
    re.compile(r"^no[ ](?=.*\b(?:needed|necessary|required)\b)", re.IGNORECASE),
)
_COMMENTS_OUT = (
    _begins(
        r"comment(?=\b.*\bout\b)|comment-out|out-comment|comment(?=[ ](?:that|this|it|these|both)\b)|comment(?=[ ]the\b.*\b(?:lines?|calls?|steps?|statement)\b)"
        r"|(?:put|turn|make|change)(?=\b.*\bcomments?\b)"
    ),
    re.compile(
        rf"\b(?:{_MODAL}[ ]be|needs|wants)[ ](?:commented|commenting)(?:[ ]out)?\b", re.IGNORECASE
    ),
)
_DISABLES = _begins(
    r"disable|deactivate|silence|mute|skip|park|(?:turn|switch)(?=\b.*\boff\b)|hide|exclude|neutrali[sz]e"
)
_UNCOMMENTS = (
    _begins(
        r"un-?comments?|decomment|de-comment|comment(?=\b.*\b(?:back[ ]in|in[ ]again)\b|\b[^,]*[ ]in$)"
    ),
    re.compile(rf"\b{_MODAL}[ ]be[ ](?:un-?commented|commented[ ](?:back[ ])?in)\b", re.IGNORECASE),
    re.compile(r"(?:^|(?<=\S)[ ])un-?comment(?:[ ](?:it|them|this|that))?$", re.IGNORECASE),
)
_ENABLES = (
    _begins(
        r"re-?enable|re-?activate|re-?add|activate|enable|restore|revive|reinstate|resurrect|unhash|bring(?=\b.*\bback\b)|(?:turn|switch)(?=\b.*\b(?:on|back)\b)"
        r"|(?:put|get|take)(?=\b.*\b(?:back|again)\b)"
    ),
    re.compile(
        rf"\b{_MODAL}[ ](?:be[ ](?:re-?enabled|re-?activated|(?:enabled|activated|active|live|on)[ ]again|(?:turned|switched)[ ](?:back[ ])?on(?:[ ]again)?|back)|come[ ]back)\b",
        re.IGNORECASE,
    ),
)
_ANOTHER = _begins(
    r"rename|replace|change|swap|switch|turn|update|set|convert|use|make|add|insert|put|append|write|wrap|sort|move|extract|inline|split|merge|return|raise|bump"
)
"""Begins a request of another kind."""
_CUTS = re.compile(
    r"\s*(?:[,;?…]+(?=\s|$)|(?<!print)(?<!println)(?<!dbg)!+(?=\s|$)|\.(?=\s|$)|\.\.\.|\s[-–—]{1,2}(?=\s)|[–—]|→|(?<=\s)->(?=\s)|=>|(?<!\w)\(|(?<!\()\)(?=\W|$)|\n)\s*"
    r"|\s+(?=(?:but|and) (?:please )?(?:keep|leave)\b)|\s+(?=so (?:please |just |we can )?(?:remove|delete|drop|kill|comment|un-?comment|take|throw|get rid)\b)|\s+(?=and (?:so )?(?:can|should|must|may|has to|needs to)\b)|\s+(?=(?:because|since|until|till|while|as long as|now that|as it|as we|so that|so it|so i|so we|so you|so they|in order to|before we|when we|when i|for now|for the moment|for the time being|once)\b)"
    r"|(?<=[\w)`'\"])\s*[:](?=\s)\s*",
    re.IGNORECASE,
)
_BEGINS_A_REASON = re.compile(
    r"\s*(?:the|it|it's|its|this|that|we|they|no|not|nobody|i|there|because|he|she|you|only|was|is|all|every|someone|somebody|please)\b",
    re.IGNORECASE,
)
_WITH_COMMENT = re.compile(
    r",? ?\b(?:"
    r"(?:and|with|incl(?:uding|\.)?|plus|together with|along with|as well as)(?: also)?"
    r"(?: (?:its|their) (?:\w+ )?(?:comments?|jsdoc|javadoc|docblock|docs)(?: line)?(?: (?:above|over|on top)(?: (?:of )?(?:it|that|them))?)?"
    r"| (?:the|that) (?:\w+ )?comment(?: line)? (?:right |just |directly )?(?:above|over|before|on top of|on top|belonging to|for|of|about)(?: (?:it|that|them|this))?(?![ ](?!too|as well|please)\w))"
    r"|(?:with|including|incl\.|together with|along with) (?:the |a )?(?:comment|jsdoc|javadoc|docblock)(?![ ](?!too|as well|please|can|must|should|may|has|goes)\w)"
    r")(?: too| as well)?",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\b(?:except(?!ion)|excepting|other than|apart from|besides|unless|if|second|third|fourth|half|some of|one of|neither|either|but not|instead"
    r"|(?:don't|do not|never|not) (?:touch|change|delete|remove|drop|rename|the|in|this|those|any)|maybe|perhaps|or|where|whenever|when(?! (?:we|i|you)\b)|(?<!was )(?<!were )(?<!is )(?<!it's )only (?:when|if|in|for|on|where|inside|while))\b",
    re.IGNORECASE,
)
_EXPLAINED = ("", "definition", "test", "route")
"""Kinds of what "comment this" may ask to explain."""
_SPARES = re.compile(
    r"^(?:(?:but|and|please|just|only) )*(?:keep|leave|spare)\b|\b(?:stays?|remains?|untouched)\b",
    re.IGNORECASE,
)
_NOT_DELETED = re.compile(
    r"\b(?:don't|do not|not|never|instead of) (?:delet|remov|drop)\w*", re.IGNORECASE
)
_MARK = re.compile(r"(?<!\S)(?P<mark>//|#|--|/\*(?: ?\*/)?)(?= ?(?:line )?comments?\b)")


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a request. action: that it asks for; empty for none. rest: its words without those that ask. is_weak: it
    only says that something is needless.
    """

    action: str
    rest: str
    is_weak: bool = False


def read_targets(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one deletion, commenting out or uncommenting of a described target that a request is; nothing if it is none,
    asks for several, or has a word that narrows it.
    """
    plain = re.sub(r"[‘’]", "'", text.strip())
    quotes: list[str] = []
    hidden = re.sub(QUOTED, lambda at: _hide(at, quotes), plain)
    mark = _MARK.search(hidden)
    if mark:
        hidden = f"{hidden[: mark.start()]}{hidden[mark.end() :]}"
    with_comment = _WITH_COMMENT.search(hidden)
    if with_comment:
        hidden = f"{hidden[: with_comment.start()]}{hidden[with_comment.end() :]}"
    speaks_of_comments = bool(re.search(r"comment", _NOT_DELETED.sub("", hidden), re.IGNORECASE))
    clauses, spared = [], []
    for clause in _clauses_of(hidden):
        if (
            _SPARES.search(clause)
            and not _action_of(clause, speaks_of_comments=speaks_of_comments).action
        ):
            spared.append(clause)
        elif not _NOT_DELETED.match(clause):
            clauses.append(_action_of(clause, speaks_of_comments=speaks_of_comments))
    if _NARROWS.search(" , ".join(clause.rest for clause in clauses)):
        return
    asking = [clause for clause in clauses if clause.action and not clause.is_weak]
    asking = asking or [clause for clause in clauses if clause.action]
    others = [clause.rest for clause in clauses if clause not in asking]
    if not asking or len({clause.action for clause in asking}) > 1:
        return
    if any(_ANOTHER.match(rest) for rest in others):
        return
    staying = [_target(_SPARES.sub(" ", clause), quotes, facts) for clause in spared]
    stays = tuple(word for x in staying for word in x.required)
    if any(map(facts.places_in, spared)) or any(not (x.required or x.noun) for x in staying):
        return
    is_terse = asking[0].action == "comment" and not re.search(
        r"\b(?:out|disabl\w+|deactivat\w+|off)\b", hidden, re.IGNORECASE
    )
    is_for_now = asking[0].action != "delete"
    targets = [_target(x.rest, quotes, facts, is_for_now=is_for_now) for x in asking]
    is_singular = any(re.search(r"\b(?:it|this|that)\b", x.rest, re.IGNORECASE) for x in asking)
    subjects = [_target(rest, quotes, facts) for rest in others]
    for target in _targets(targets, subjects, is_singular=is_singular):
        is_whole = not target.count and _NOUNS.get(target.noun) in ("comment", "print", "log")
        if any(_NOUNS.get(x.noun) == _NOUNS.get(target.noun) and not x.required for x in staying):
            continue
        if is_whole and any(x.noun for x in targets) and not (target.required or mark):
            continue  # all of the file
        if target.noun == "one" or (is_terse and _NOUNS.get(target.noun, "") in _EXPLAINED):
            continue
        described = replace(
            target,
            kind=_NOUNS.get(target.noun, ""),
            with_comment=bool(with_comment),
            mark=mark["mark"][:2] if mark else "",
            spared=tuple(word.text for word in stays),
        )
        intent = EditTarget(asking[0].action, described, "comment" in plain.lower())
        yield Interpretation(intent, _in_words(intent))


def _targets(
    targets: Sequence[TargetDescription],
    subjects: Sequence[TargetDescription],
    *,
    is_singular: bool,
) -> Iterator[TargetDescription]:
    """Yield what the clauses that ask describe (``targets``); if they have no words of their own, what they and the others (``subjects``) describe together. Nothing if two of them have words. is_singular: the request speaks of "it"."""
    own = [x for x in targets if x.required]
    if len(own) > 1:
        return
    target = own[0] if own else targets[0]
    noun = next((x.noun for x in targets if x.noun), "")
    if noun == "one":  # "the other one": of what is spoken of
        noun = next((x.noun for x in subjects if x.noun), "one")
    count = next((x.count for x in targets if x.count != 1), 1)
    if not count:
        count = next((x.count for x in (*targets, *subjects) if x.count > 1), 0)
    if own:
        yield replace(target, noun=noun, count=count)
    else:
        words = tuple(word for x in (*subjects, target) for word in _words_of(x))
        if count == 1 and not noun and not is_singular:
            count = next((x.count for x in subjects if x.noun), 1)
        yield replace(
            target,
            noun=noun or next((x.noun for x in subjects if x.noun), ""),
            required=(),
            optional=tuple(dict.fromkeys(words)),
            count=count,
            position=next((x.position for x in (target, *subjects) if x.position), ""),
            is_subject=True,
            is_bare=False,
        )


def _words_of(target: TargetDescription) -> tuple[TargetWord, ...]:
    return (*target.required, *target.optional)


def _in_words(intent: EditTarget) -> str:
    """The edit as a plain sentence, for which ``refactor`` has a better one once the target is found."""
    words = (word.text for word in intent.target.required)
    return " ".join([intent.action, *words, intent.target.noun]).strip()


def _hide(quoted: re.Match[str], quotes: list[str]) -> str:
    """A sign in the place of a quoted text, which is put at the end of ``quotes``."""
    quotes.append(quoted[0][1:-1])
    return chr(0xE000 + len(quotes) - 1)


def _clauses_of(text: str) -> list[str]:
    """The clauses of a request, in order; a colon ends one where a request or a reason follows."""
    clauses = []
    start = 0
    for cut in _CUTS.finditer(text):
        if ":" in cut[0] and not (
            _BEGINS_A_REASON.match(text, cut.end())
            or _action_of(
                text[cut.end() :].split(",", maxsplit=1)[0], speaks_of_comments=True
            ).action
        ):
            continue
        clauses.append(text[start : cut.start()])
        start = cut.end()
    clauses.append(text[start:])
    return [clause.strip(" .,;:!?") for clause in clauses if clause.strip(" .,;:!?")]


def _action_of(clause: str, *, speaks_of_comments: bool) -> _Clause:
    """A clause with what it asks for, if anything. speaks_of_comments: the request does, so that "disable" may mean to comment out."""
    for action, cues in (("uncomment", _UNCOMMENTS), ("comment", _COMMENTS_OUT)):
        for cue in cues:
            if found := cue.search(clause):
                return _Clause(action, _without(clause, found))
    if speaks_of_comments and (found := _DISABLES.search(clause)):
        return _Clause("comment", _without(clause, found))
    for cue in _ENABLES:
        if found := cue.search(clause):
            return _Clause("uncomment", _without(clause, found))
    for cue in (*_IS_DELETED[:2], *_DELETES, _IS_DELETED[2]):
        if found := cue.search(clause):
            return _Clause("delete", _without(clause, found))
    for cue in _IS_NEEDLESS:
        if found := cue.search(clause):
            rest = re.sub(r"\b(?:needed|necessary|required)\b", " ", _without(clause, found))
            return _Clause("delete", rest, is_weak=True)
    return _Clause("", clause)


def _without(clause: str, found: re.Match[str]) -> str:
    """A clause without the words that ask; of words that end it, what stands before stays."""
    return f"{clause[: found.start()]} {clause[found.end() :]}".strip()


def _target(
    text: str, quotes: Sequence[str], facts: BufferFacts, *, is_for_now: bool = False
) -> TargetDescription:
    """The target that the words of a clause describe: the noun for it, the words that have to fit, up to a verb or a
    relative clause, and those that may. is_for_now: behind "for" stands what the edit is for.
    """
    words: list[TargetWord] = []
    optional: list[TargetWord] = []
    noun, where, position, count = "", "", "", 1
    is_over = has_article = False
    has_and = False
    tokens = re.findall(r"[\ue000-\uf8ff]|[^\s\ue000-\uf8ff]+", text)
    for at, token in enumerate(tokens):
        bare = token.strip(",;!?\"'`")
        if bare.count("(") != bare.count(")"):
            bare = bare.strip("()")
        bare = re.sub(r"(?:['’]s|(?<=.)[.:])$", "", bare) if len(bare) > 1 else bare
        lower = bare.lower()
        if "\ue000" <= bare[:1] <= "\uf8ff":
            word = TargetWord(quotes[ord(bare[0]) - 0xE000], where, is_exact=True)
            (optional if is_over else words).append(word)
            has_and = False
            continue
        if not bare:
            continue
        if lower == "and" and where == "in" and words:
            has_and = True
            continue
        singular = _PLURALS.get(lower) or (lower if lower in _NOUNS else lower.removesuffix("s"))
        is_likely = is_code_like(bare) or where or not (noun or words or singular in _NOUNS)
        is_name = bare in facts.definitions and bool(is_likely)
        has_article |= lower in ("the", "that", "this", "our", "my") and not words
        if lower in _COUNTS or lower in _MANY:
            if not is_over and not where:
                count = _COUNTS.get(lower, 0)
            continue
        if (lower in _ENDS and not words and at + 1 < len(tokens)) or (
            lower in _ENDS and where != "in"
        ):
            position = _ENDS[lower]
            continue
        if lower in ("first", "last"):
            position = lower
            continue
        if lower in _WHERE and not is_name:
            where = _WHERE[lower]
            continue
        if lower in _STOPS or (lower == "that" and (words or noun)):
            is_over = bool(words or noun)
            where = "" if not is_over else where
            continue
        if lower in ("one", "ones") and words and not noun:
            noun = "one"
            continue
        if lower in _OWN:
            where = ""
            is_over |= lower == "for" and is_for_now and bool(words or noun)
            continue
        if singular in _NOUNS and not is_name and not (where == "in" and bare in facts.definitions):
            kind = singular
            if kind in ("todo", "fixme", "xxx", "hack"):
                words.append(TargetWord(kind))
                kind = "comment"
            if ("." in kind and _NOUNS[kind] == "print") or kind.endswith("!"):
                optional.append(TargetWord(bare, is_exact=True))
            is_of_thing = where not in ("in", "above", "below")
            is_late = _NOUNS[kind] in ("print", "comment") and _is_stronger(kind, noun)
            if is_of_thing and (not is_over or is_late):
                if _is_stronger(kind, noun):
                    noun = kind
                is_plural = lower not in (singular, "outs")
                count = 0 if is_plural and count == 1 and noun == kind else count
                optional.append(TargetWord(singular))
            else:
                optional.append(TargetWord(singular, where))
            continue
        if lower in _PRINTED and noun and _NOUNS.get(noun) in ("print", "log"):
            continue
        if lower in _ADJECTIVES and not is_name and not (bare.isupper() and len(bare) > 1):
            optional.append(TargetWord(bare, where))
            continue
        if lower in _FILLERS and not is_name:
            continue
        is_exact = is_code_like(bare) or is_name
        word = TargetWord(bare.removesuffix("()"), where, is_exact)
        if has_and and words and words[-1].where == "in":
            words[-1] = replace(words[-1], others=(*words[-1].others, word.text))
            count = 0 if count == 1 else count
            has_and = False
            continue
        (optional if is_over else words).append(word)
    is_bare = len(words) == 1 and not (noun or optional or words[0].where or words[0].is_exact)
    return TargetDescription(
        noun,
        is_bare=is_bare and not has_article,
        required=tuple(words),
        optional=tuple(dict.fromkeys(optional)),
        count=count,
        position=position,
    )


_STRENGTH = ("block", "statement", "entry", "argument")


def _is_stronger(noun: str, other: str) -> bool:
    """Whether a noun says more about a thing than another: "print" more than "line"."""
    if other in ("", "one"):
        return True
    first, second = _NOUNS[noun], _NOUNS[other]
    rank = {kind: at for at, kind in enumerate(_STRENGTH)}
    return rank.get(first, len(rank)) > rank.get(second, len(rank))
