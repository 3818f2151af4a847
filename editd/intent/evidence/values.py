"""Evidence for a new value: the request has one that the buffer lacks, and words of the setting that gets it.

"deploys time out, 60s is not enough, give it 180": 180 is new, 60 what the buffer has, and "time out" is its name. "swap md5 for sha256":
the buffer has the one and not the other. A number, an address, a path and the like are values by their form; a word is where the words
around give it that part ("should be X", "X instead of Y"). Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editd.intent.english import FUNCTION_WORDS, QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import pattern
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.names import read_rename, speaks_of_names
from editd.intent.evidence.request_clauses import RequestClause, cut_sentence
from editd.intent.evidence.request_words import NO_SETTINGS, asks_more
from editd.intent.intents import ReplacePart, ReplaceToken, SetByWords

_UNIT_WORDS = r"milliseconds?|millis|ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|wks?|months?"
_UNITS = {
    "ms": "ms", "millis": "ms", "millisecond": "ms", "s": "s", "sec": "s", "second": "s", "min": "min", "minute": "min", "h": "h", "hr": "h",
    "hour": "h", "d": "d", "day": "d", "w": "w", "wk": "w", "week": "w",
}  # fmt: skip
_NUMBER_WORDS = {
    "a": "1", "an": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "half a": "0.5", "half an": "0.5",
}  # fmt: skip
_TRUTHS = {
    **dict.fromkeys(("on", "enable", "enabled", "activate", "activated", "true", "yes"), "true"),
    **dict.fromkeys(
        ("off", "disable", "disabled", "deactivate", "deactivated", "false", "no"), "false"
    ),
}
_SPELLED = "|".join(
    sorted(
        (x for x in _NUMBER_WORDS if x not in ("a", "an", "one", "half a", "half an")),
        key=len,
        reverse=True,
    )
)
_VALUE = re.compile(
    rf"""(?P<quoted>{QUOTED})
    |(?<![\w@])(?P<form>[a-z][\w+.-]*://[^\s,;()]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w.-]+/[\w./-]+@v?\d[\w.]*|\#[0-9a-fA-F]{{3,8}}\b|(?:~|\.{{1,2}})?/[\w.@-]+(?:/[\w.@-]*)*
        |[\w.-]+(?:/[\w.@-]+)+(?::[\w.-]+)?|[a-zA-Z][\w.-]*:\w[\w.-]*|v?\d+(?:\.\d+){{2,}}[\w.-]*|v\d+(?:\.\d+)*\b|[a-zA-Z][\w-]*(?:\.[\w-]+)+(?::\d+)?|\d[\d.]*(?:\.[\d]+){{3}}|[a-z]+-\d[\w.-]*|-[A-Z]\d\b)
    |(?<![\w.$-])(?<!\bPEP[ ])(?<!\bpep[ ])(?<!\bRFC[ ])(?<!\bISO[ ])(?P<number>-?(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?))(?P<glued>(?:[KMGTkm]i?[bB]?|px|em|rem|vh|vw|fr|{_UNIT_WORDS}|%)\b|%)?(?:[ -](?P<unit>{_UNIT_WORDS}|percent|m[lmg]|cm|kg|mol/l|bytes|px|mb|gb|kb|baud|hz|khz|mhz|m|v|euros?|eur)\b|[ ]?(?P<percent>%))?(?![\w-])
    |\b(?P<spelled>(?:half[ ])?an?|one|{_SPELLED})[ ](?P<spelled_unit>milliseconds?|seconds?|minutes?|hours?|days?|weeks?)\b
    |\bevery[ ](?P<each>second|minute|hour|day|week)\b
    |\b(?P<word_number>{_SPELLED})\b(?![ ](?:milliseconds?|seconds?|minutes?|hours?|days?|weeks?))""",
    re.VERBOSE | re.IGNORECASE,
)
_TRUTH = pattern(
    r"""\b(?:switch|turn|put|have|want|keep|set|leave)(?:ed|s)?_(?:\S+_){0,5}?(?P<turned>on|off)\b|\b(?P<turning>enable|disable|activate|deactivate)\b|\b(?:is|are|be|to|stay|stays)_(?P<state>enabled|disabled|activated|deactivated|true|false)\b
    |\b(?P<last>(?<!now_)(?<!today_)(?<!tomorrow_)(?<!day_)(?<!then_)(?<!there_)on|off|enabled|disabled|true|false)(?=[,.;!)]|$|_(?:please|pls|for|in|until|by|everywhere|again|now|from))"""
)
_WORD = r"(?<![\w'])[`'\"]?(?P<{}>[^\s,;()`'\"?!]*[^\s,;()`'\"?!.:])[`'\"]?"
_NEW_SLOTS = tuple(
    pattern(x)
    for x in (
        rf"\b(?:should|must|shall|ought_to|has_to|have_to|needs_to|need_to)_(?:now_)?(?:be|say|read|become|point_to|go_to|use|end_in|run_as)_(?:called_|named_|set_to_|at_|the_)?{_WORD.format('new')}(?=[,.;!)]|$|_(?:now|please|in|for|instead|not|rather|these|from|again|too|and|-|–))",
        rf"\b(?:to|into|becomes?|as|use|make_(?:it|that|this)|say|says|answer|prefer|want|wants|called|is_called|named|it's|it_is|is_now|are_now|now_is|go_for|pick|take|try|with)_(?:the_)?{_WORD.format('new')}(?=[,.;!)]|$|_(?:now|please|pls|in|for|instead|rather|these|from|again|since|today|because|and_not|everywhere|-|–))",
        rf"\b(?:is|are)_(?:now_)?{_WORD.format('new')}(?=_(?:now|these_days|nowadays|from_now|since|today|here_now|as_of|from_today|instead|rather|in_the)|,_(?:not|was|no_longer)|_\(|_(?:for|in|at)_[^,;]*[,;(]_?(?:it_)?(?:was|no_longer|not)_)",
        rf"(?:=|:|->|=>|→|—)_*{_WORD.format('new')}(?=[,.;!)]|$|_(?:please|pls|now|instead|in|for|is_enough|everywhere)\b|_\()",
        rf"{_WORD.format('new')},?_(?:instead_of|rather_than|in_place_of|no_longer|and_not|not|over|please$|is_enough|it_is|will_do|suffices)",
        rf"(?:^|,_|;_|:_|\._|\(|-_|–_){_WORD.format('new')}(?=$|_(?:please|pls|instead|it_is|then|is_enough)\b|[.!)]|,_(?:not|was))",
        rf"\b(?:swap|replace|exchange|change|switch)_(?:the_)?\S+_(?:for|with|by|to)_(?:the_)?{_WORD.format('new')}",
    )
)
_OLD_SLOTS = tuple(
    pattern(x)
    for x in (
        rf"\b(?:instead_of|rather_than|in_place_of|no_longer|was|used_to_be|formerly|not|never|goodbye|from(?=_\S+_(?:to|->|into)\b)|swap|replace|exchange|over)_(?:the_|an?_)?(?:old_)?{_WORD.format('old')}",
        rf"{_WORD.format('old')}_*(?:->|=>|→|—>)",
        rf"(?:^|[,;:(]_|\b(?:the|our|a)_){_WORD.format('old')}_(?:was|is|are|has_been|got|were)_(?:\w+ly_)?(?:dropped|retired|gone|blocked|broken|renamed|replaced|removed|moved|migrated|dead|deprecated|eol|obsolete|wrong|weak|insecure|rude|boring|taken|not_enough|too_\w+|old|being_retired|ugly|unsafe)\b",
        rf"(?:^|[,;:(]_|\b(?:the|our|a|user|queue|event|scope|column|key|header|role|topic|host|font|name)_){_WORD.format('old')}_(?:becomes?|(?:is|are)_(?:now_)?called|should_(?:be|become|read)|must_(?:be|become)|has_to_(?:be|become)|is_now|was_renamed_to|bit_us|bites|confuses|looks_like|goes_away|would|takes_forever|became)\b",
    )
)
_LIMITS = pattern(
    r"\d_of_(?:them|these|those)\b|\b(?:never|exceeds?|beyond|at_least|at_most|(?:not|n't)_(?:\w+_){0,2}(?:more|less|fewer)_than|comes?_from_the_\w+_?(?:string|variable|env)?|from_(?:the_)?env(?:ironment)?\b(?!_var)|query_string|between_\d+|random\w*|backoff|depending|h(?:er|is))\b"
)
"""Words that say how a value is to be compared, not what it is to be."""
_OTHER_EDIT = pattern(
    r"""(?:^|[,;:.!]_|\b(?:and|then|please|pls|so|just|to|can_you|could_you|should|must|can|may)_)(?:please_|just_|also_)*(?:remove|delete|drop|strip|erase|add|insert|append|comment|uncomment|catch|wrap|log|print|sort|import|document|annotate|return|invert|flip|negate|raise|throw|extract|inline|move|split|format|guard|bail|handle|ignore|silence)\b(?!_level|_tag)
    |\b(?:removed?|deleted?|leftovers?|left_over|no_need|get_rid|take_(?:it_)?(?:away|out)|(?<!too_)early|f-?strings?|template_(?:strings?|literals?)|docstrings?|doc_comment|type_hints?|annotations?|annotated|imports?|imported|context_manager|try|except|exceptions?|commented|comments?|unused|undefined|quotes|parameter_(?:named|called)|with_open|(?:takes?|accepts?|receives?)_(?:an?|another|one_more)_(?:\w+_){1,3}\(default)\b
    |[`'\"]with[`'\"]|\bwith_with\b|\b[\w.]+\((?=[^)])|\b(?:switch|convert|turn)_(?:\w+_){0,4}(?:to|into)_(?:log|logger|logging)\w*"""
)
"""Words of edits that give no value."""
_NO_VALUES = frozenset(
    ["now", "today", "again", "too", "anymore", "instead", "then", "here", "there", "later"]
)
_PRONOUNS = frozenset(["it", "them", "that", "this"])
_REPORTS = re.compile(
    r"^(?:and |but |so )?(?:the |our )?(?P<who>\w+(?: \w+)?) (?:wants?|asks? for|insists? on|says?|requires?|recommends?|demands?|told us|decided|suggests?|prefers?)\b(?: to| we| us| it| that)*",
    re.IGNORECASE,
)
_ADJUNCT = re.compile(
    r"\b(?:for (?=the |our |my |this |that |these |now\b)|since|until|because|so|as|after|before|during|from|by|on (?=the |our |my |this |that |these |mon|tue|wed|thu|fri|sat|sun)|due to|thanks to|at|per|instead of|rather than|and not)\b(?! (?:default|once|most|least|a time)\b)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"--[\w-]+|[\w$]+(?:[.:@/-]+[\w$]+)*")
_PHRASES = re.compile(
    r"\b(?:these days|nowadays|from \w+day on|from now on|for now|as of (?:today|now|\w+day)|at the moment|i think|in my opinion)\b",
    re.IGNORECASE,
)
"""Phrases that name nothing."""
_INSTEAD_OF = re.compile(
    r"(?:\b(?:instead of|rather than|in place of)|, not) (?:the |an? )?(?P<old>[a-z]{3,})(?=[.!]?$|[,;])"
)
_EQUATION = re.compile(r"\w ?(?:=|:=) ?[\w'\"]")
_JOINT = re.compile(r"\w and (?!not\b)|\b(?:plus|then|but)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SaidValue:
    """A value in a request, ``start .. end``. unit: of time as ``ms``, or any other as written. is_word: it may be English. is_formed: its form
    shows that it is a value.
    """

    text: str
    start: int
    end: int
    unit: str = ""
    is_quoted: bool = False
    is_word: bool = False
    is_formed: bool = False


def read_value(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield a reading for each value of ``text`` that may be the new one: the setting that its words are about gets it, or what it is
    said to replace becomes it, wherever that stands. Nothing if the words ask for more, or name no value.
    """
    plain = text.replace("’", "'").strip()
    if (
        asks_more(plain)
        or _LIMITS.search(plain)
        or _OTHER_EDIT.search(re.sub(QUOTED, _without_text, plain))
    ):
        return
    if facts.text and _replaces_nothing(plain, facts):
        return
    is_of_names = speaks_of_names(plain) and any(True for _ in read_rename(text, facts))
    old = {at["old"] for slot in _OLD_SLOTS[:2] for at in slot.finditer(plain)}
    blamed = {at["old"] for slot in _OLD_SLOTS[2:] for at in slot.finditer(plain)}
    old |= {
        x for x in blamed if not re.fullmatch(r"[\d.]+\w{0,3}", x)
    }  # whether a number is old the buffer shows
    clauses = cut_sentence(plain)
    values = list(values_in(plain, facts))
    formed = [x for x in values if x.is_formed]
    for value in values:
        if _has_another(value, values, plain) or _is_called(value.text, facts):
            continue
        if (value.text in old and not _is_new_anyway(value, plain)) or (
            value.is_word and is_of_names
        ):
            continue
        others = tuple(
            (x.text, x.unit)
            for x in formed
            if x is not value and not x.is_quoted and re.match(r"-?\d", x.text)
        )
        if not (value.is_word and value.text.lower() in NO_SETTINGS):
            yield from _set(value, plain, clauses, formed, others, facts)
        is_joined = _joins_more(value, clauses)
        for replaced in sorted(old) if not (is_joined or value.text.lower() in _NO_VALUES) else ():
            if _is_reversed(replaced, value.text, plain):
                continue
            if replaced != value.text and _may_replace(replaced, value, facts):
                yield Interpretation(
                    ReplaceToken(replaced, value.text), f"replace {replaced} by {value.text}"
                )
                yield Interpretation(
                    ReplacePart(replaced, value.text, _count(plain)),
                    f"replace {replaced} by {value.text}",
                )
        for other in formed:
            if (
                other is not value
                and other.text not in old
                and _is_address(other.text)
                and _is_address(value.text)
            ):
                yield Interpretation(
                    ReplaceToken(other.text, value.text), f"replace {other.text} by {value.text}"
                )


def values_in(text: str, facts: BufferFacts) -> Iterator[SaidValue]:
    """Yield the values of a request: those that their form shows to be such, words where it has the new value, and the switch that it says."""
    formed = [replace(x, is_formed=True) for x in _formed(text)]
    yield from formed
    for word in (*_in_slots(text), *_beside_names(cut_sentence(text), facts)):
        if not any(x.start <= word.start < x.end for x in formed):
            yield word
    yield from _truths(text)


def _joins_more(value: SaidValue, clauses: tuple[RequestClause, ...]) -> bool:
    """Whether the clause of a value goes on with "and": "use starter for new members and premium for old ones"."""
    own = next((x for x in clauses if x.start <= value.start < x.end + 1), clauses[-1])
    return _JOINT.search(own.text[max(0, value.end - own.start - 1) :]) is not None


def _replaces_nothing(text: str, facts: BufferFacts) -> bool:
    """Whether a request says a word that the value is to replace, and the buffer has none such: "used for conversion, not imperial"."""
    found = [x["old"].lower() for x in _INSTEAD_OF.finditer(text)]
    return any(x not in facts.text.lower() for x in found if x not in NO_SETTINGS | FILLER)


def _is_called(value: str, facts: BufferFacts) -> bool:
    """Whether a value is a member of something that the buffer has or may import, such as ``fmt.Println``."""
    owner, dot, member = value.partition(".")
    return bool(dot) and member.isidentifier() and (owner in facts.names or member in facts.names)


def _is_reversed(old: str, new: str, text: str) -> bool:
    """Whether a request says that ``new`` becomes ``old``."""
    between = r"\W+(?:to|with|by|into|should be|becomes?|->|=>|→)\W+"
    return re.search(re.escape(new) + between + re.escape(old), text, re.IGNORECASE) is not None


def _without_text(quoted: re.Match[str]) -> str:
    """A quoted word as it is, and of a longer quoted text only its quotes."""
    return quoted[0] if re.fullmatch(r"\W\w+\W", quoted[0]) else '"…"'


def _set(
    value: SaidValue,
    text: str,
    clauses: tuple[RequestClause, ...],
    formed: list[SaidValue],
    others: tuple[tuple[str, str], ...],
    facts: BufferFacts,
) -> Iterator[Interpretation]:
    """Yield the reading that gives the value to the setting that the words are about; nothing if they join two."""
    own = next((x for x in clauses if x.start <= value.start < x.end + 1), clauses[-1])
    hidden = _PHRASES.sub(lambda at: " " * len(at[0]), text)
    for x in formed:
        hidden = hidden[: x.start] + " " * (x.end - x.start) + hidden[x.end :]
    hidden = hidden[: value.start] + " " * (value.end - value.start) + hidden[value.end :]
    clause = hidden[own.start : own.end]
    if report := _REPORTS.match(clause):
        clause = " " * report.end() + clause[report.end() :]
    clause = re.sub(r"^(\s*)(\w+)(?= (?:it|that|them|this)\b)", lambda at: " " * len(at[0]), clause)
    main, adjuncts = _without_adjunct(clause, value.start - own.start, facts)
    if _JOINT.search(re.sub(r"\s+", " ", main)):
        return
    needed = tuple(
        x
        for x in (*_WORDS.findall(main), *adjuncts)
        if x.lower() not in NO_SETTINGS and not re.fullmatch(r"\d+|[A-Z]", x)
    )
    is_joined = re.search(r"\bwith $", text[: value.start], re.IGNORECASE)
    counted = None if is_joined else re.match(r" (\w{3,}s)\b", text[value.end :])
    unit = value.unit
    if (
        counted
        and not unit
        and re.fullmatch(r"[\d_]+", value.text)
        and not _is_a_name(counted[1], facts)
    ):
        unit = counted[1]
        needed = tuple(x for x in needed if x != unit)
    places = tuple(x for x in facts.places_in(text) if x not in needed)
    words = tuple(_WORDS.findall(text))
    words += tuple(x.text for x in formed)
    words = tuple(x for x in words if x != value.text and x.lower() != value.unit.lower())
    about = " ".join(dict.fromkeys(x for x in (*needed, *places))) or "what the words are about"
    yield Interpretation(
        SetByWords(
            value.text,
            (*needed, *places),
            words,
            unit,
            others,
            value.is_quoted,
            value.is_word,
            _count(text),
            text,
        ),
        f"set {about} to {value.text}" + (f" {unit}" if unit else ""),
    )


def _without_adjunct(clause: str, value: int, facts: BufferFacts) -> tuple[str, list[str]]:
    """A clause without its last part that says why or for what ("for the demo"), and the names of the buffer in that part. value: the
    place of the value, which is in no such part unless a name is behind it.
    """
    first = min(len(clause) - len(clause.lstrip()), value) + 1
    for adjunct in _ADJUNCT.finditer(clause, first):
        if adjunct.start() > value:
            rest = _WORDS.findall(clause[adjunct.end() :])
            return clause[: adjunct.start()], [x for x in rest if _is_a_name(x, facts)]
    for adjunct in reversed([*_ADJUNCT.finditer(clause, first)]):
        rest = _WORDS.findall(clause[adjunct.end() : value])
        if not any(_is_a_name(x, facts) for x in rest):
            return clause[: adjunct.start()] + " " + clause[max(value, adjunct.end()) :], []
    return clause, []


def _count(text: str) -> int:
    """The number of values that a request speaks of: two for "both", -1 for "everywhere" and "all", else one."""
    if re.search(r"\bboth\b", text, re.IGNORECASE):
        return 2
    return -1 if re.search(r"\b(?:everywhere|all|each|every)\b(?! \d)", text, re.IGNORECASE) else 1


def _is_a_name(word: str, facts: BufferFacts) -> bool:
    """Whether a word is a part of a name of the buffer."""
    parts = {
        part.lower()
        for name in facts.nameable
        for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    }
    return word.lower() in parts or word.lower().removesuffix("s") in parts


def _formed(text: str) -> Iterator[SaidValue]:
    """Yield the values of a request that their form shows to be such."""
    for at in _VALUE.finditer(text):
        if at["quoted"]:
            yield SaidValue(at["quoted"][1:-1], *at.span(), is_quoted=True)
        elif at["form"]:
            word = at["form"].rstrip(".:,")
            if not re.fullmatch(r"(?:e\.g|i\.e|etc)\.?|\w+'\w+", word):
                yield SaidValue(word, at.start(), at.start() + len(word))
        elif at["spelled"]:
            yield SaidValue(
                _NUMBER_WORDS[at["spelled"].lower()], *at.span(), _unit(at["spelled_unit"])
            )
        elif at["each"]:
            yield SaidValue("1", at.start("each"), at.end(), _unit(at["each"]))
        elif at["word_number"]:
            yield SaidValue(_NUMBER_WORDS[at["word_number"].lower()], *at.span())
        else:
            yield _amount(at)


def _amount(at: re.Match[str]) -> SaidValue:
    """The amount with its unit; of a glued unit of size ("512Mi") both as one text."""
    number, glued = at["number"], at["glued"] or ""
    if glued.lower() in _UNITS and glued != "m":
        return SaidValue(number, *at.span(), _unit(glued))
    return SaidValue(number + glued, *at.span(), _unit(at["unit"] or at["percent"] or ""))


def _unit(word: str) -> str:
    """The short name of a unit of time; another unit as it is written, empty for none."""
    low = word.lower()
    return _UNITS.get(low) or _UNITS.get(low.removesuffix("s")) or word


def _in_slots(text: str) -> Iterator[SaidValue]:
    """Yield the words of a request that the words around them show to be a new value, each once."""
    seen = set()
    for slot in _NEW_SLOTS:
        for at in slot.finditer(text):
            word = at["new"]
            if (
                at.start("new") in seen
                or word.lower() in FUNCTION_WORDS | _PRONOUNS
                or not re.search(r"\w|^[^\w\s]{1,2}$", word)
            ):
                continue
            seen.add(at.start("new"))
            yield SaidValue(word, *at.span("new"), is_word=True)


def _beside_names(clauses: tuple[RequestClause, ...], facts: BufferFacts) -> Iterator[SaidValue]:
    """Yield the second word of each clause of two words of which the first is a name of the buffer ("units imperial"), and a level
    behind the word "level".
    """
    names = {x.lower() for x in facts.nameable}
    for clause in clauses:
        pair = re.fullmatch(
            r"(?:log ?)?(\w+) ([a-z][\w-]+)(?: please| pls| now)?", clause.text, re.IGNORECASE
        )
        if pair and (pair[1].lower() in names or "level" in pair[1].lower()):
            yield SaidValue(
                pair[2], clause.start + pair.start(2), clause.start + pair.end(2), is_word=True
            )
        level = re.search(
            r"level (?:to )?(debug|info|warn|warning|error|critical|trace)\b",
            clause.text,
            re.IGNORECASE,
        )
        if level:
            yield SaidValue(
                level[1], clause.start + level.start(1), clause.start + level.end(1), is_word=True
            )


def _truths(text: str) -> Iterator[SaidValue]:
    """Yield the switch that a request says, if it says one."""
    found = [
        (x, x.start(name))
        for x in _TRUTH.finditer(text)
        for name in ("turned", "turning", "state", "last")
        if x[name]
    ]
    states = {
        _TRUTHS[(x["turned"] or x["turning"] or x["state"] or x["last"]).lower()] for x, _ in found
    }
    if len(states) == 1:
        at, start = found[0]
        word = at["turned"] or at["turning"] or at["state"] or at["last"]
        yield SaidValue(states.pop(), start, start + len(word))


def _is_new_anyway(value: SaidValue, text: str) -> bool:
    """Whether the words before a value say that it is the new one, whatever is said behind it."""
    return (
        re.search(
            r"(?:->|=>|→|\b(?:to|be|use|becomes?|with|by|into)) [`'\"]?$", text[: value.start]
        )
        is not None
    )


def _has_another(value: SaidValue, values: list[SaidValue], text: str) -> bool:
    """Whether a request sets something else as well: a switch beside the value, or a setting by a sign ("A = 1, B = 2")."""
    is_truth = value.text in ("true", "false")
    switches = [x for x in values if x.text in ("true", "false") and x is not value]
    return (
        (bool(switches) and not is_truth)
        or (is_truth and any(x is not value and not x.is_word for x in values))
        or len(_EQUATION.findall(text)) > 1
    )


def _may_replace(old: str, new: SaidValue, facts: BufferFacts) -> bool:
    """Whether a text that is said to be old may become the value everywhere: it is no name of the buffer's, no number, no filler."""
    if new.is_word and _signs(old) and not _signs(new.text):
        return False  # ".card should be wider"
    if re.match(r"\.|--", new.text) and new.text in facts.nameable:
        return False  # ".card should be .card-title", which has rules of its own
    is_word = new.is_word and new.text.isalpha()
    if is_word and (old[:1].isupper() > new.text[:1].isupper() or new.text.lower() in FILLER):
        return False  # "Lora is ugly, make it bigger"
    is_plain = old.lower() in NO_SETTINGS or len(old) < 2 or re.fullmatch(r"[\d.]+", old)
    if is_plain or ("/" in new.text) > ("/" in old) or re.fullmatch(r"-?[\d.]+\w{0,3}", new.text):
        return False
    return (
        not is_plain
        and old not in facts.definitions
        and not (new.is_word and new.text.lower() in FUNCTION_WORDS)
    )


def _signs(text: str) -> str:
    """The first sign of a text that is neither a letter, a digit nor a blank; empty without."""
    found = re.search(r"[^\w\s]", text)
    return found[0] if found else ""


def _is_address(text: str) -> bool:
    """Whether a value is an address, a path or the like, by signs in it."""
    return re.search(r"\w[./:@-]\w|#", text) is not None and not re.fullmatch(
        r"-?\d+(?:\.\d+)?", text
    )
