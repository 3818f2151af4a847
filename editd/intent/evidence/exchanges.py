"""Evidence for an exchange: a text that the buffer has, and another that takes its place, in what people say of such pairs.

"Lora is discontinued, use Merriweather", "we aren't called Ironworks any longer, it's Steelyard", "pytz out, tzdata in": the words
around both say which is the old one, and the buffer has it. What else the clause says has to fit the place (``refactor.exchange_text``).
Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.intent.asked_for import tells_of_calls
from editd.intent.english import FUNCTION_WORDS, QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import pattern
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.request_words import NO_SETTINGS, asks_more
from editd.intent.intents import ExchangeText, ReplaceVar

_TERM = rf"(?P<{{}}>{QUOTED}|[^\s,;()?]+(?:_[^\s,;()?]+){{{{0,3}}}}?)"
_OLD, _NEW = _TERM.format("old"), _TERM.format("new")
_ENDS = r"(?=_?(?:[,;!?(]|\.(?=__|$)|[.!]?$|_(?:now|please|pls|plz|instead|then|since|because|so|from|in|as|for|on|everywhere|rather|these|hands|has|is|again|too|and)\b))"
_ARTICLE = r"(?:(?:the|a|an|our|your|its|new|old|now|called|named|rather|really|proper)_)*"
_RETIRED = (
    r"(?:(?:already|long|now|finally|completely|just|really|going|so|too|very|quite|pretty|a_bit|no|not|being|getting|about_to_be|much|far|rather|simply)_)*"
    r"(?:gone|dead|eol|end_of_life|end-of-life|retired|deprecated|discontinued|outdated|obsolete|history|over|closed|shut_down|sunset|abandoned|unmaintained|unsupported|supported"
    r"|broken|weak|insecure|unsafe|wrong|old(?:_school|-school)?|ancient|legacy|taken|dropped|removed|moved|renamed|replaced|bought(?:_up)?|sold|blocked|forbidden|banned|ugly|boring|rude|silly"
    r"|quiet|loud|chatty|noisy|verbose|strict|vague|narrow|old-fashioned|a_typo|misspell(?:ed|t)|the_old_\w+(?:_\w+)?|an?_(?:bad|poor|old|terrible|stupid|silly)_[\w]+(?:_\w+)?)"
)
_OFFER = (
    r"(?:so_|and_|but_|please_|pls_|just_|then_|better_|rather_|now_)*(?:(?:(?:it(?:'s|_is)?|that|we|we're|we_are|i|you|they|everybody|everyone|people)_)?"
    r"(?:should_(?:be|say|read|use)|must_be|has_to_be|will_be|use|used|uses|take|try|pick|prefer|want|have|need|go_to|go_for|going_to|move_to|moved_to|are_on|on|switch_to|switched_to|upgrade_to|update_to|bump_(?:it_)?to|make_(?:it|that)|write|say|call_it|are_called|are|is|now|called)?_)"
)
_NO_LONGER = r"(?:isn't|ain't|is_not|is_no_longer|aren't|are_not|are_no_longer|no_longer|not)"
_PAIRS = tuple(
    pattern(x)
    for x in (
        rf"^(?:please_)?(?:the_)?{_OLD}_?(?:->|=>|→)_?{_NEW}{_ENDS}",
        r"\bs/(?P<old>[^/]+)/(?P<new>[^/]+)/g?",
        rf"(?:^|[,;:.]_|\bthrow_|\bkick_){_ARTICLE}{_OLD}_out,?_(?:and_|;_)?{_ARTICLE}{_NEW}_in(?=[,;.!]|$)",
        rf"\bout_with_{_ARTICLE}{_OLD},?_(?:and_)?in_with_{_ARTICLE}{_NEW}{_ENDS}",
        rf"\b{_NO_LONGER}_{_ARTICLE}{_OLD}(?:_any_?more|_any_longer)?(?:_but|,_but|[,;:.])_(?:(?:it's|it_is|we're|we_are|they_are|this_is|that's|should_be)_)?{_ARTICLE}{_NEW}{_ENDS}(?!_(?:is|are)\b)",
        rf"(?:^|[,;:.]_|\b(?:it's|is|are|we're|use|say|says|write|be|want|have|need|to)_){_ARTICLE}{_NEW},?_(?:now_)?(?:instead_of|rather_than|in_place_of|and_not|not|and_no_longer|no_longer)_{_ARTICLE}{_OLD}{_ENDS}",
        rf"(?:^|[,;:.]_|\b(?:the|that|where|address|name|url|text|message|label)_){_ARTICLE}{_OLD}_(?:should|must|shall|has_to|have_to|ought_to|needs_to)_(?:now_|rather_)?(?:be|become|read|say|turn_into)_(?:called_|spelled_|written_|changed_to_)?{_ARTICLE}{_NEW}{_ENDS}",
        rf"(?:^|[,;:.]_){_ARTICLE}{_OLD}_(?:is|are|was|became|becomes|turned_into|got_renamed_to|(?:has_been|was|got)_replaced_(?:by|with))_(?:now_)?{_ARTICLE}{_NEW}_(?:now|from_now|from_today|since|these_days)\b",
        rf"\b(?:says?|reads?|writes?|prints?)_{_OLD}(?:[,;.]|_but)_(?:it_|that_|and_)?(?:should|must|has_to|ought_to)_(?:rather_)?(?:say|read|be|print)_{_NEW}{_ENDS}",
        rf"\b(?:replace|swap|exchange|change|turn|switch)_(?:every_|all_|each_)?{_ARTICLE}{_OLD}_(?:by|with|for|to|into)_{_ARTICLE}{_NEW}{_ENDS}",
        rf"(?:^|[,;:.]_|\bthe_\w+_){_ARTICLE}{_OLD}_(?:is|are|was|got|has_been|have_been)_{_RETIRED}(?:_[^,;:.?]+?)?[,;:.–-]_{_OFFER}?{_ARTICLE}{_NEW}{_ENDS}",
        rf"(?:^|[,;:.]_){_ARTICLE}{_OLD}_(?:isn't|ain't|is_not|is_no_longer)_(?P<about>[^,;:.]+?)(?:_any_?more|_any_longer)?[,;:.–-]_{_ARTICLE}{_NEW}_is\b",
        rf"\bwho_(?:still_)?(?:uses|writes|says|needs)_{_OLD}(?:_any_?more|_these_days)?\?_{_OFFER}?{_NEW}{_ENDS}",
        rf"(?:^|[,;:.]_){_ARTICLE}{_OLD}_(?:has_been|was|got|is)_(?:replaced_(?:by|with)|renamed_to|changed_to)_{_ARTICLE}{_NEW}{_ENDS}",
        rf"(?:^|[,;:.]_){_ARTICLE}{_OLD}_(?:moved|changed|became|migrated|switched)_(?:to|into)_{_ARTICLE}{_NEW}{_ENDS}",
        rf"\b(?:moved|changed|migrated|switched|upgraded)_from_{_ARTICLE}{_OLD}_to_{_ARTICLE}{_NEW}{_ENDS}",
    )
)  # fmt: skip
_ONLY = {
    "comments": re.compile(r"\bcomments?\b", re.IGNORECASE),
    "docstrings": re.compile(r"\bdocstrings?\b", re.IGNORECASE),
    "prints": re.compile(r"\bprints?\b", re.IGNORECASE),
    "strings": re.compile(
        r"\b(?:messages?|strings?|texts?|labels?|titles?|subjects?)\b", re.IGNORECASE
    ),
}
_WRITTEN = 4  # the patterns of pairs that say both as they are written come first
_SCRIPTS = ("javascript", "typescript", "tsx")
_KINDS = frozenset(
    "comment comments docstring docstrings print prints message string strings text name plan thing word words default value label line".split()  # noqa: SIM905
)
_SMALL_TAIL = re.compile(
    r"(?: (?:now|please|pls|plz|instead|then|everywhere|again|too|today|rather))+$", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W_][\w$'-]*")
_IS_DONE = re.compile(r"\w+ed|gone|put|written|kept|hidden|shown|there|in|out", re.IGNORECASE)
_SAYS = re.compile(r"\b(?:is|are|was|were|has|have)\b", re.IGNORECASE)
_LONGEST = 4  # words of an old or new text


@dataclass(frozen=True, slots=True)
class _Pair:
    """An old and a new text of a request. dropped: words of the old one that the buffer does not have so. span: of the words that say it."""

    old: str
    new: str
    dropped: tuple[str, ...]
    span: tuple[int, int]
    is_written: bool = False


def read_exchange(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the exchange of each old text of the buffer by a new one that ``text`` names; of the word ``var`` in a script that of all such
    declarations. Nothing if the words ask for more, or a word of the clause is left that may be anything.
    """
    plain = re.sub(r"\s+", " ", text.replace("’", "'")).strip()
    if asks_more(_without_question(plain)) or tells_of_calls(plain):
        return
    for pair in dict.fromkeys(_pairs_in(plain, facts)):
        if pair.old == "var":
            yield Interpretation(
                ReplaceVar(only=pair.new), f"use {pair.new} in the place of var", reads_all=True
            )
            continue
        rest = f"{plain[: pair.span[0]]} ¤ {plain[pair.span[1] :]}"
        asking = " ".join(x.text for x in cut_sentence(rest) if "¤" in x.text)
        only = next((kind for kind, words in _ONLY.items() if words.search(asking)), "")
        needed = (*_telling(" ".join(pair.dropped)), *_telling(asking))
        yield Interpretation(
            ExchangeText(
                pair.old,
                pair.new,
                needed,
                only,
                is_written=pair.is_written,
                is_of_all=bool(re.search(r"\b(?:everywhere|all|every|each|both)\b", plain)),
            ),
            f"replace {pair.old} by {pair.new}" + (f" in {only}" if only else ""),
            reads_all=pair.is_written and not (pair.dropped or _telling(rest)),
        )


def _without_question(text: str) -> str:
    """A request without the sign of a question that no answer is expected to: "who still writes var? const, please"."""
    return re.sub(r"^((?:who|why) [^?]*)\?(?= \w)", r"\1,", text, flags=re.IGNORECASE)


def _pairs_in(text: str, facts: BufferFacts) -> Iterator[_Pair]:
    """Yield the pairs that the patterns find of which the buffer has the old one, in as many of its words as it has together."""
    for form in _PAIRS:
        for at in form.finditer(text):
            new = _bare(at["new"])
            if _bare(at["old"]) == "var" and new in ("let", "const") and facts.language in _SCRIPTS:
                yield _Pair("var", new, (), at.span())
                continue
            found = _in_buffer(_bare(at["old"]), facts)
            is_quoted = re.fullmatch(QUOTED, at["new"].rstrip(".:!")) is not None
            is_said = is_quoted or form in _PAIRS[:_WRITTEN]
            if found is None or not _may_be_new(found[0], new, is_said=is_said):
                continue
            about = _telling(at["about"]) if "about" in form.groupindex else ()
            yield _Pair(found[0], new, (*found[1], *about), at.span(), is_said)


def _bare(term: str) -> str:
    """A term without quotes, articles, small words at its end, and marks."""
    if re.fullmatch(QUOTED, term):
        return term[1:-1]
    bare = _SMALL_TAIL.sub("", term.rstrip(".:!"))
    return re.sub(
        r"^(?:(?:the|a|an|our|old|new|now|called) )+", "", bare, flags=re.IGNORECASE
    ).strip("`\"'")


def _in_buffer(term: str, facts: BufferFacts) -> tuple[str, tuple[str, ...]] | None:
    """The longest run of a term's words at its end or beginning that the buffer has as a whole, and its other words; ``None`` if it has
    none that says something.
    """
    words = term.split(" ")
    for size in range(min(len(words), _LONGEST), 0, -1):
        for run, others in ((words[-size:], words[:-size]), (words[:size], words[size:])):
            is_head = run == words[-size:]
            for written in (" ".join(run), " ".join([run[0].lower(), *run[1:]])):
                if not is_head and re.fullmatch(r"[a-z ]+", written):
                    continue  # "update url" is about the url
                if _is_telling(written) and _has(written, facts):
                    return written, tuple(x for x in others if x.lower() not in FILLER)
    return None


def _has(term: str, facts: BufferFacts) -> bool:
    """Whether the buffer has a term as a whole."""
    before, after = (
        r"(?<!\w)" if term[0].isalnum() else "",
        r"(?!\w)" if term[-1].isalnum() else "",
    )
    if term.isdigit():
        before, after = r"(?<![^\W_])(?<!\d\.)", r"(?![^\W_]|\.\d)"
    return re.search(before + re.escape(term) + after, facts.text) is not None


def _is_telling(term: str) -> bool:
    """Whether a term is more than a small word."""
    return term.lower() not in FUNCTION_WORDS and (re.search(r"\w\w|\d|^\W+$", term) is not None)


def _may_be_new(old: str, new: str, *, is_said: bool) -> bool:
    """Whether a text may take the place of another: both numbers or none, of code's spelling or names or plain words alike; several plain
    words only for several. is_said: it is in quotes or behind an arrow, and may be anything but a small word.
    """
    is_small = new.lower() in FUNCTION_WORDS or (new.lower() in FILLER and not is_said)
    if not new or new == old or is_small or len(new.split()) > _LONGEST:
        return False
    if is_said:
        return True
    if _IS_DONE.fullmatch(new) or _SAYS.search(new):
        return False
    is_number = [re.fullmatch(r"v?\d[\d.]*", x) is not None for x in (old, new)]
    if is_number[0] != is_number[1]:
        return False
    words = new.split()
    if len(words) > 1:
        return len(old.split()) > 1 or all(x[:1].isupper() for x in words)
    return old[:1].isupper() <= (new[:1].isupper() or not new.isalpha()) and _form(old) <= _form(
        new
    ) | {"hyphen", "digit"}


def _form(term: str) -> set[str]:
    """The names of the signs in a term."""
    signs = {
        "slash": "/",
        "dot": r"\w\.\w",
        "colour": "^#",
        "under": "_",
        "hyphen": "-",
        "digit": r"\d",
        "colon": ":",
    }
    return {name for name, sign in signs.items() if re.search(sign, term)}


def _telling(text: str) -> tuple[str, ...]:
    """The words of a text that name something, in order."""
    found = (x.removesuffix("'s") for x in _WORDS.findall(text))
    return tuple(dict.fromkeys(x for x in found if x.lower() not in FILLER | NO_SETTINGS | _KINDS))
