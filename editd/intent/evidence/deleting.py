"""The acts of deleting: the ways in which a clause asks that something goes, in one table for all kinds of edits.

A clause either commands ("get rid of the sleep", "the sleep has to go", "sleep: out"), or it only says that something is needless or
in the way ("nobody calls it", "is dead code", "makes no sense"), from which the wish follows. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from editd.intent.evidence.acts import MODAL, TAIL, any_of, begins


@dataclass(frozen=True, slots=True)
class ActOfDeleting:
    """A clause that asks that something goes. rest: its other words, which say what. is_implied: it only says that the thing is needless
    or in the way. is_unused: it says that nothing uses the thing.
    """

    rest: str
    is_implied: bool = False
    is_unused: bool = False


_VERBS = (
    "delete remove drop kill nuke erase lose ditch scrap trash purge axe zap bin rm del chuck toss strip cut clear eliminate discard strike prune banish unregister deregister"
    " evict sack yeet chop junk get_rid_of be_rid_of get_shot_of be_done_with do_without live_without do_away_with scratch cross_out removal_of deletion_of say_goodbye_to dispose_of dispense_with part_with"
)
_GERUNDS = "deleting removing dropping killing erasing ditching scrapping purging stripping tossing binning chucking discarding throwing_out taking_out getting_rid_of"
_DELETED = any_of(
    "deleted removed dropped killed nuked erased ditched scrapped trashed purged axed zapped binned rm'd rm'ed chucked tossed stripped cut cleared eliminated discarded struck pruned"
    " unregistered deregistered evicted taken_out taken_away taken_off thrown_out thrown_away kicked_out ripped_out pulled_out left_out weeded_out got_rid_of gotten_rid_of done_away_with gone history"
)
_PARTED = begins(
    r"(?:throw|take|rip|pull|clean|tear|yank|wipe|get|kick|leave|edit|boot|chuck|toss|weed|root|chop|cross|cast|sweep|carve|knock)(?=\b.*\b(?:out|away|off|down)\b)"
)
_OUT_WITH = re.compile(
    r"^(?:please )?(?:out|off|away)(?=[ ](?:of|from)[ ].*[ ]with[ ](?:it|that|them)$)",
    re.IGNORECASE,
)
_PUT_FIRST = begins(r"(?:away|down|out|off|weg|raus)[ ]with|stop(?=[ ]\w+ing\b)")
_OUT_OF_HERE = any_of(
    "goes gotta_go go out_of_here out_of_there bye bye_bye bye-bye away begone weg raus weg_damit raus_damit out_with_it away_with_it off_with_it"
)
_BEFORE_OUT = "comment commented turned switched times timed time runs ran falls fell sold points turns works comes filled checked spelled bails opts is are was rolled rolls".split()  # noqa: SIM905
_OUT = "".join(rf"(?<!\b{word}[ ])" for word in _BEFORE_OUT) + "out"
_OTHER_VERB = re.compile(
    r"^(?:[^:]*:[ ])?(?:please |and |just |so |then )*(?:sort|figure|find|work|check|point|turn|carry|help|fill|print|write|log|try|test|spell|lay|call|hand|bail|time|start|put|bring|read|look|watch|set|run"
    r"|give|make|add|use|move|let|rename|change|replace|factor|flesh|iron|round|phase|comment|switch)\b(?! \w+ (?:is|are|was|can|goes|has|and)\b)",
    re.IGNORECASE,
)
"""Begins a clause of which "out", "away" or "go" at the end are a part of the verb."""
_GONE = re.compile(r"^(?:and |so |please )?gone$", re.IGNORECASE)
_AT_THE_END = re.compile(
    rf"(?:^|(?<=\S)[ ])(?:(?:please|pls|plz|kindly)[ ]{any_of('delete remove drop kill nuke erase rm del trash bin')}|(?:(?:please|pls|plz|kindly)[ ])?{_OUT_OF_HERE}|{_OUT}|{_DELETED}(?=[ ](?:please|pls|plz)))(?:[ ](?:it|this|that|them))?{TAIL}$",
    re.IGNORECASE,
)
_IS_GONE = re.compile(
    rf"[ ](?:gone|out|away|{_DELETED})(?:[ ](?:please|pls|now|here))*$", re.IGNORECASE
)
_WANTS_GONE = re.compile(
    rf"^(?:please[ ])?(?:(?:i|we)(?:'d[ ]like|[ ](?:want|need|would[ ]like))|get|have)[ ](?=.*{_IS_GONE.pattern})",
    re.IGNORECASE,
)
IS_DELETED = re.compile(rf"\b{MODAL}[ ](?:be|get)[ ]{_DELETED}\b", re.IGNORECASE)
"""The command in the passive: "must be removed"."""
_COMMANDS = (
    re.compile(
        r"\b(?:goes|go|belongs?|can be thrown)[ ](?:in|to|into|on)[ ]the[ ](?:bin|dustbin|trash(?:[ ]can)?|rubbish|garbage|dump|scrap(?:[ ]heap)?)\b",
        re.IGNORECASE,
    ),
    IS_DELETED,
    re.compile(rf"\b(?:needs?|wants?|deserves?|requires?)[ ]{any_of(_GERUNDS)}\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:{MODAL}|deserves[ ]to)[ ](?:please[ ])?(?:go|disappear|vanish|leave(?=$|[ ](?:the|this|our)[ ]\w+$)|die)\b(?:[ ](?:the|this|our)[ ](?:code[ ]?base|file|repo|code))?(?:{TAIL}$|(?=[ ](?:the|this|our)[ ]\w+$))",
        re.IGNORECASE,
    ),
    begins(any_of(_VERBS)),
    _WANTS_GONE,
    re.compile(
        rf"^(?:(?:hi|hey|please)[, ]+)*(?:would you mind|do you mind|how about|what about|thinking of)[ ](?:please[ ])?{any_of(_GERUNDS)}(?=[ ])",
        re.IGNORECASE,
    ),
    _PARTED,
    _PUT_FIRST,
    _OUT_WITH,
)
"""Ways to command that something goes, those first that stand in the middle of a clause."""
_NOT = r"(?:isn't|isnt|aren't|arent|wasn't|wasnt|ain't|(?:is|are|was|were|be)[ ](?:not|no[ ]longer|never|hardly|nowhere))"
_NEVER = r"(?:[ ](?:any[ ]?more|any[ ]longer|now|here|at[ ]all|ever|nowadays|these[ ]days|today|anyway))*"
_NOBODY = r"(?:nobody|no[ -]?one|nothing|no[ ](?:code|caller|user|client)s?)(?:[ ](?:else|here|really|ever|even|in[ ](?:the|our|this)[ ]\w+))*"
_DONE = any_of(
    "dead_code history obsolete superfluous useless redundant pointless clutter needless unnecessary unneeded unwanted noise junk cruft garbage rubbish trash"
    " left_over leftover a_leftover a_left-over over_and_done"
)
_UNUSED = (
    re.compile(
        rf"\b{_NOT}[ ](?:\w+ly[ ])?(?:used|called(?=[ ](?:by|from|in|any|at|now|here)\b|$)|referenced|imported|read|invoked|in[ ]use|wired[ ]up)\b(?:[ ](?:from|by|in)[ ](?:the[ ])?\S+)?{_NEVER}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:and |as |because |since |but )?{_NOBODY}[ ](?:calls|uses|needs|reads|wants|passes|references|imports|invokes|sends|sets|looks[ ]at|depends[ ]on){_NEVER}(?=[ ]|$){_NEVER}",
        re.IGNORECASE,
    ),
    re.compile(
        r"[ ](?:is|are)(?:[ ](?:now|completely|totally|entirely))?[ ]unused$", re.IGNORECASE
    ),
    re.compile(r"[ ]has[ ](?:no|zero)[ ](?:callers?|users?|usages?|references?)\b", re.IGNORECASE),
)
_NEEDLESS = (
    re.compile(
        rf"\b(?:{_NOT}|no[ ]longer)[ ](?:\w+ly[ ])?(?:(?:needed|necessary|required|wanted|useful|supported)(?![ ]to\b)|of[ ]any[ ]use|(?:a[ ])?part(?=[ ]of\b)|an?[ ]\w+(?=[ ]any[ ](?:more|longer)))\b{_NEVER}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:should[ ]?not|shouldn't|shouldnt|must[ ]not|mustn't|mustnt|does[ ]not|doesn't|doesnt|do[ ]not|don't|dont)[ ](?:be|belong|stand|stay)[ ](?:there|here|in[ ](?:there|here))\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:we |i )?(?:don't|dont|do not|no longer|doesn't|does not)[ ](?:really |actually )?(?:need|want|have any use for)(?= (?!to\b))"
        r"|^(?:we|i)[ ]no[ ]longer[ ](?:need|want|use)(?=[ ])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"[ ](?:is|are)(?:[ ](?:just|only|pure|mere|total|now|all|long|really|so|completely|totally|nothing[ ]but))*(?:[ ](?:useless|pure|mere))?[ ]{_DONE}{_NEVER}(?:[ ](?:to|for)[ ](?:me|us|everyone|everybody))?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"[ ](?:has|have|had)[ ](?:done[ ](?:its|their)[ ](?:job|duty|work)|(?:had[ ])?(?:its|their)[ ]day|served[ ](?:its|their)[ ]purpose|no[ ](?:purpose|use|business[ ]here|place[ ]here))$"
        r"|[ ](?:makes?|made)[ ]no[ ]sense(?:[ ](?:any[ ]?more|here|at[ ]all))*$|[ ]serves?[ ]no[ ]purpose$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:there(?:'s|[ ]is)[ ]|we[ ]have[ ]|i[ ](?:have|see)[ ])?no[ ](?:more[ ]|longer[ ]|further[ ])?(?:need|use|reason)[ ](?:for|of|to[ ]have)(?=[ ])",
        re.IGNORECASE,
    ),
    re.compile(r"^no[ ](?=.*\b(?:needed|necessary|required)\b)", re.IGNORECASE),
    re.compile(
        r"^(?:no(?:[ ]more)?|enough[ ]of|without)[ ](?=(?!way\b|idea\b|wonder\b|need\b|problem\b|matter\b|longer\b|one\b|more\b)\w.*[ ](?:please|pls|plz)$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:should[ ]?not|shouldn't|must[ ]?not|mustn't|may[ ]not|can't|cannot)[ ](?:(?:be|get)[ ](?:in|on|there|exposed|published|public|open|shipped|committed)|stay(?:[ ](?:in|there|here))?|reach|go[ ](?:to|into|live)|get[ ](?:to|into)|ship|end[ ]up[ ]in|make[ ]it[ ](?:to|into))"
        r"(?:[ ](?:the[ ])?(?:prod(?:uction)?|live|a[ ]release|the[ ]release|customers|users|main|master))?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:\b(?:does[ ]not|doesn't|doesnt|do[ ]not|don't|dont|no[ ]longer)[ ](?:depend|rely|need|use|support|belong)s?|^(?:(?:please|so)[ ])?(?:(?:we|i)[ ])?(?:do[ ]not|don't|dont)[ ](?!know|see|get|have\b)\w+)"
        r"(?:[ ](?:on|to|for|with|from|in))?\b(?=[ ]\w.*[ ](?:any[ ]?more|any[ ]longer)$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:should[ ]?not|shouldn't|shouldnt|must[ ]?not|mustn't|mustnt|need[ ]not|needn't|don't[ ]have[ ]to)[ ](?:be|get)[ ](?=(?:printed|logged|echoed|dumped|written[ ]to[ ]the[ ](?:log|console))\b)",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:i'm|im|i[ ]am|we're|we[ ]are)[ ](?:so[ ]|really[ ])?(?:tired|sick|fed[ ]up)(?:[ ]of|[ ]with)(?:[ ](?:seeing|reading|getting))?(?=[ ])|^who[ ]needs(?=[ ])|^(?:i've|i[ ]have|we've)[ ]had[ ]enough[ ]of(?=[ ])",
        re.IGNORECASE,
    ),
)


def act_of_deleting(clause: str) -> ActOfDeleting | None:
    """The act of deleting in a clause, a command before a mere complaint; ``None`` if it has neither."""
    found = _first((*_COMMANDS, _GONE), clause)
    if found is None and not _OTHER_VERB.match(clause):
        found = _AT_THE_END.search(clause)
    if found:
        return ActOfDeleting(_without(clause, found))
    if found := _first(_UNUSED, clause):
        return ActOfDeleting(_without(clause, found), is_implied=True, is_unused=True)
    if found := _first(_NEEDLESS, clause):
        rest = re.sub(r"\b(?:needed|necessary|required)\b", " ", _without(clause, found))
        return ActOfDeleting(rest, is_implied=True)
    return None


def _first(cues: Iterable[re.Pattern[str]], clause: str) -> re.Match[str] | None:
    """The match of the first cue that a clause has; ``None`` if it has none."""
    return next(_matches(cues, clause), None)


def _matches(cues: Iterable[re.Pattern[str]], clause: str) -> Iterator[re.Match[str]]:
    """Yield the match of each cue that a clause has."""
    for cue in cues:
        if found := cue.search(clause):
            yield found


def _without(clause: str, found: re.Match[str]) -> str:
    """A clause without the words of an act, and "any more" at its end."""
    rest = f"{clause[: found.start()]} {clause[found.end() :]}".strip()
    if found.re is _OUT_WITH:
        rest = re.sub(r"[ ]with[ ](?:it|that|them)$", " it", rest, flags=re.IGNORECASE)
    if found.re is _WANTS_GONE:
        rest = _IS_GONE.sub("", rest)
    return re.sub(rf"[ ]any(?:[ ]?more|[ ]longer){_NEVER}$", "", rest, flags=re.IGNORECASE)
