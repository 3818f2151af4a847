"""Tells which part a clause plays in a sentence: it asks, gives a reason, is courtesy, or sets a limit.

Only what the clause itself says decides, by closed lists of verbs: a clause that is none of these is ``unclear``, so that
nothing is passed over that nobody has read. Standard library only.
"""

from __future__ import annotations

import re
from typing import Literal

from editd.intent.clause import without_politeness
from editd.intent.evidence.deleting import act_of_deleting

Role = Literal["asks", "wish", "reason", "courtesy", "limit", "unclear"]

_WORDS_OF_COURTESY = (
    r"hi|hey|hello|hiya|yo|ok(?:ay)?|well|so|sorry|thanks|thank you|thx|ty|cheers|please|pls|plz|kindly|btw|by the way|fyi|imo|imho|todo|nit|also|again|"
    r"all|there|guys|team|folks|everybody|everyone|a lot|a bunch|so much|very much|in advance|quick one|small thing|one more thing|quick question|no rush|as usual|as discussed"
)
_COURTESY = re.compile(
    rf"(?:(?:{_WORDS_OF_COURTESY})[\s,]*)+"
    r"|(?:can|could|would|will) you (?:please |pls |maybe |quickly |kindly )?(?:do (?:that|it|this)|fix (?:that|it|this)|help(?: me)?(?: out| here)?|change (?:that|it)|take care of (?:that|it))(?: for me| please| pls)*"
    r"|(?:please )?(?:fix|mend|sort out) (?:that|it|this)(?: please| pls)?|(?:that|this)(?:'s| is|s) (?:ok|fine|all|it|right)(?: for now)?|thats (?:ok|fine|all|it)"
    r"|(?:and |but )?(?:don'?t|do not|remember) (?:forget )?(?:to import \S+|the import)"  # goes with what logs or uses it
    r"|(?:only|just) (?:the )?(?:parameter|signature|argument|import|declaration|definition)s?(?: for now)?|(?:but )?(?:don'?t|do not|no need to) (?:wire|use|hook|pass|call) (?:it|them|that)(?: up| on| in)?(?: anywhere)?(?: yet| for now)?|(?:it's |its )?not (?:used|wired up|needed) yet"
    r"|if (?:you (?:don'?t mind|can|could|have (?:time|a (?:minute|moment|sec(?:ond)?)))|possible|that'?s (?:ok(?:ay)?|possible|fine))|when(?:ever)? you (?:have|get|find) (?:a |the )?(?:time|minute|moment|chance|sec(?:ond)?)",
    re.IGNORECASE,
)
_BEFORE_SHIPPING = re.compile(
    r",? before (?:i|we|you) (?:open|ship|push|merge|commit|release|deploy|send|publish)\b[^,;]*$",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(
    r"(?: ?[:;]-?[)D(P])?(?:[ ,]+(?:pls|plz|thanks|thx|thank you|for me|if possible|will you|would you|ok|asap|already|again|now|too|for now|for the moment|real quick|quickly|as well))*\W*$",
    re.IGNORECASE,
)
_POLITE_LEAD = re.compile(
    r"(?:(?:hi|hey|hello|ok(?:ay)?|so|well|and|then|now|also|but|please|pls|plz|kindly|maybe|just|simply|quickly|actually|instead)\b[,!]? *)*"
    r"(?:(?:can|could|would|will)(?:n't)? (?:you|u|we|someone|somebody)(?: guys)? (?!mind\b)(?:please |pls |plz |kindly |maybe |perhaps |possibly |quickly |just |also )*"
    r"|(?:would|do) you mind (?=\w+ing\b)|i(?:'d| would)? (?:like|want|need|love|prefer) you to |(?:i'd|i would) (?:like|love|prefer) to (?:see |have )?"
    r"|(?:you|we) (?:can|could|should|may|must|need to|have to|might want to) |(?:let'?s|let us|go ahead and|be so kind and|be so kind as to|feel free to|make sure (?:to|you)|remember to|time to|it'?s time to|we'd better|better) "
    r"|(?:it|that)(?:'d| would) be (?:great|nice|lovely|good|cool|helpful|awesome) if (?:you|we) (?:could |can |would )?|i(?:'m| am)? wonder(?:ing)? if you (?:could|can) )?"
    r"(?:(?:please|pls|plz|kindly|just|simply|quickly|also) )*",
    re.IGNORECASE,
)
ACTS = frozenset(
    """
    rename call name change replace swap set make bump raise lower increase decrease reduce turn switch put add insert append prepend import include bring
    pull stick place delete remove drop kill strip take throw rip get lose nuke toss cut purge scrap wipe clear eliminate discard wrap surround catch
    guard handle log print sort order reorder alphabetize alphabetise group isort convert use write rewrite let give comment uncomment enable disable
    annotate type document return bail invert flatten move undo hand open close update upgrade clean tidy correct spell extend shorten default initialise
    initialize exclude ignore mark declare define introduce pass send emit record note express format quote unquote substitute exchange refer restore
    reactivate unwrap dedent limit allow keep stop
    """.split()  # noqa: SIM905
)
"""Verbs that begin a request for an edit."""
_ACT = re.compile(rf"(?:(?:out|away|off|down) with|{'|'.join(sorted(ACTS))})\b(?!-)", re.IGNORECASE)
_DUTY = re.compile(
    r"\b(?:should|shall|must|ought to|needs? to|has to|have to|had to be|gotta|is to|are to|becomes?|can go|could go|may go|can be (?:removed|deleted|dropped)|belongs? (?:below|above|behind|before)|wants? (?:a|an|the|to be)|needs? (?:a|an|the)|deserves?)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:but |and |just |only |please |though )*(?:leave|keep|don'?t|do not|never|no need|except|apart from|other than|unless|without|not|only|just|nothing else|the rest|everything else|if|either|or|rather than)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:should|shall|must|does|did|is|are|was|were|why|what|how|when|where|which|who|whether|has|have|any chance)\b|do (?!we (?:even|really|still|actually)? ?need)",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"(?:and |but |so )?(?:i|we)(?:[’'](?:d|ll|m|re)| would| will| am| are)? (?:(?:really|also|just|only) )?(?:need|want|like|love|prefer|wish)(?:ing)? (?:a|an|the|to|this|that|it|some)\b",
    re.IGNORECASE,
)
_THING_ASKED = re.compile(
    r"(?:can|could) (?!(?:you|we|i|u|someone|somebody)\b)(?P<thing>\S+(?: \S+){0,6}?) (?=(?:be|become|return|take|get|have|go|use)\b)",
    re.IGNORECASE,
)
_NAMED_AS_ACT = re.compile(
    r"\w+ ¤\d+ (?:makes?|is|isn'?t|was|does|has|gives?|breaks?|causes?)\b", re.IGNORECASE
)
_SAYS = """
    am is are was were isn't aren't wasn't weren't isnt arent wasnt has have had hasn't haven't hadn't do does did don't doesn't didn't dont doesnt didnt
    will won't would wouldn't wont can't cannot cant can could couldn't may might need needs needed want wants wanted like likes liked love loves hate
    hates hated prefer prefers know knows knew think thinks thought guess believe feel feels find finds found forgot forget forgets remember keep keeps
    kept get gets got give gives gave make makes made take takes took help helps helped tell tells told say says said warn warns warned complain complains
    complained break breaks broke fail fails failed crash crashes crashed die dies blow blows leak leaks run runs ran go goes went come comes came agree
    agrees agreed decide decides decided move moves moved stumble stumbles fill fills clutter clutters confuse confuses confused annoy annoys bother
    bothers hurt hurts look looks looked read reads cost costs show shows slow slows trip trips hide hides spam spams flood floods belong belongs seem
    seems see sees saw ask asks asked end ends stop stops cause causes drive drives work works worked live lives mean means happen happens turns switched
    shipped ship deploy deploying deploys rewrote wrote throws raises never always only depend depends expect expects load loads contain contains hold
    holds start starts begin begins glue glues sit sits stand stands matter matters build builds pass passes accept accepts support supports exist exists
    grow grows cover covers replaced uses used calls called prints printed logs logged serves served points pointed deserves lies swallow swallows sound
    sounds suggest suggests insist insists rot rots mislead misleads flags flag marks mark reports report lists list highlights nags grumbles shouts yells moans screams
    """.split()  # noqa: SIM905
VERB = rf"(?:{'|'.join(re.escape(x) for x in _SAYS)}|\w+n[’']t|(?<=\w)[’'](?:s|re|ve|m|d|ll))"
"""A pattern for a verb with its subject before it."""
_SUBJECT = (
    r"(?:i|we|you|he|she|they|it|that|this|there|these|those|who|what|which|something|anything|somebody|someone|nobody|noone|no one|none|neither|everybody|everyone|nothing|everything|people|users?|half|most|both|two|three|some|all"
    r"|(?:the|our|my|your|their|his|her|its|a|an|this|that|these|those|no|any|every|each|some|all|both|none of|neither of|most of|half of|two of|three of|one of) \S+(?: (?!(?:please|pls)\b)\S+){0,5}?|[^\W\d_][\w.¤-]*(?: (?!to\b|in\b|of\b|into\b)\w+)?|¤\w+(?: \w+)?)"
)
_REASON = re.compile(
    rf"(?:and |but |as |since |because |cause |cuz |bc |so |so that |otherwise |in case |for |while |although |though |after all |then |now |later |currently |apparently |actually |sadly |somehow )*{_SUBJECT}(?: (?:in|from|of|on|at|with|for|about|above|below|behind) \S+(?: \S+)?)?(?: (?:really|just|only|still|always|never|even|often|now|probably|currently|also|all|both|actually|already|sometimes|kind of|kinda))*(?:[’'](?:s|re|ve|m|d|ll)\b| {VERB}\b)",
    re.IGNORECASE,
)
_SOMEBODY_SAYS = re.compile(
    r"(?:and |but )?(?:i|we|they|he|she|it|nobody|no one|somebody|someone|everybody|everyone|people|none of \S+ \S+|neither of \S+ \S+) \w+ \w",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:for|in|on|at|with|after|since|until|during) [^,;]{1,30}? (?=(?:i|we|it|they|you|he|she)\b)",
    re.IGNORECASE,
)
"""Words before the subject that say when or where: "for today's deploy I need …"."""
_STAYS = (
    re.compile(
        r"(?:but |and |please |just |only )*(?:leave|keep) (?!(?:only |just |up to |the last )?\d)(?P<what>.+?)(?:,? (?:as (?:it|they) (?:is|are)|as is|alone|in|in place|there|untouched|unchanged|where (?:it is|they are)))?",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:but |and |note |the fact that )*(?P<what>.+?) (?:(?:should|must|can|may|will|has to|have to) )?(?:stays?|remains?|(?:is|are) (?:still )?(?:needed|used|fine|ok(?:ay)?))(?: (?:as (?:it|they) (?:is|are)|put|there|though|of course|in place))*",
        re.IGNORECASE,
    ),
)
_LOOSE_REASON = re.compile(
    r"(?:because|since|cause|cuz|bc|so that|so (?=i\b|we\b|it\b|they\b|the\b|nobody\b|people\b)|as (?=i\b|we\b|it\b|they\b|nobody\b)|otherwise|in case|for (?:consistency|clarity|now|readability|the record))",
    re.IGNORECASE,
)


def role_of(clause: str) -> Role:
    """The part that a clause plays; a limit says what must stay, or when, and goes before what asks. A wish ("I need the
    module") is a reason beside a clause that asks, else the request itself.
    """
    text = _WHEN.sub("", clause.strip())
    if _COURTESY.fullmatch(text):
        return "courtesy"
    bare = without_courtesy(text)
    if _NAMED_AS_ACT.match(bare):
        return "reason"
    if _LIMIT.match(bare):
        return "limit"
    act = act_of_deleting(bare)
    if _ACT.match(bare) or (act is not None and not act.is_implied):
        return "asks"
    if _LOOSE_REASON.match(text):
        return "reason"
    if _QUESTION.match(bare):
        return "unclear"
    if _WISH.match(text):
        return "wish"
    if _DUTY.search(bare):
        return "asks"
    return "reason" if _REASON.match(text) or _SOMEBODY_SAYS.match(text) else "unclear"


def begins_with_act(clause: str) -> bool:
    """Whether a clause begins with the verb of a request, courtesy aside."""
    return _ACT.match(without_courtesy(clause)) is not None


def what_stays(clause: str) -> str:
    """The thing that a clause says is to stay ("leave the require", "the other comments stay"); empty for any other clause."""
    found = next((x for form in _STAYS if (x := form.fullmatch(clause.strip(" .!")))), None)
    return found["what"] if found else ""


def without_courtesy(clause: str) -> str:
    """The clause without greeting and polite words before its verb, and without "please" and "for me" behind it."""
    bare = without_politeness(_BEFORE_SHIPPING.sub("", clause.strip()))
    bare = _AT_THE_END.sub("", bare)
    lead = _POLITE_LEAD.match(bare)
    rest = bare[lead.end() :] if lead else bare
    if thing := _THING_ASKED.match(rest):
        return f"{thing['thing']} should {rest[thing.end() :]}"
    first, _, others = rest.partition(" ")
    return f"{_infinitive(first)} {others}".strip() if first.lower().endswith("ing") else rest


def _infinitive(word: str) -> str:
    """The infinitive of an act in ``-ing``; another word as it is."""
    stem = word[: -len("ing")]
    forms = (stem, f"{stem}e", stem[:-1])
    return next((x for x in forms if _ACT.fullmatch(x)), word)
