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

from editd.intent.english import LABELS, QUOTED, is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.companions import parts_of, with_companions_joined
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.snippets import calls_in
from editd.intent.evidence.target_cues import ASKS_ANOTHER, AskingClause, asking_clause, clauses_of
from editd.intent.evidence.target_words import NOUNS, described, hidden_quote
from editd.intent.intents import EditTarget, Several
from editd.intent.target import TargetDescription, TargetWord
from editd.intent.word_forms import are_forms

_WITH_COMMENT = re.compile(
    r",? ?\b(?:"
    r"(?:and|with|incl(?:uding|\.)?|plus|together with|along with|as well as)(?: also)?"
    r"(?: (?:its|their) (?:\w+ )?(?:comments?|todo|fixme|remark|note|jsdoc|javadoc|docblock|docs|annotation)(?: line)?(?:,? and (?:its |the )?(?:annotation|decorator|attribute|comment)s?)?(?: (?:above|over|on top)(?: (?:of )?(?:it|that|them))?)?"
    r"| (?:the|that) (?:\w+ )?comment(?: line)? (?:right |just |directly )?(?:above|over|before|on top of|on top|belonging to|for|of|about)(?: (?:it|that|them|this))?(?![ ](?!too|as well|please)\w))"
    r"|(?:with|including|incl\.|together with|along with) (?:the |a )?(?:comment|jsdoc|javadoc|docblock)(?![ ](?!too|as well|please|can|must|should|may|has|goes)\w)"
    r")(?: too| as well)?",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\b(?:except(?!ion)|excepting|other than|apart from|besides|unless|if|(?<!\d )second|third|fourth|half|some of|one of|neither|either|but not|instead"
    r"|(?:don't|do not|never|not) (?:touch|change|delete|remove|drop|rename|the|in|this|those|any)|maybe(?! (?:i|we)\b)|perhaps|or|(?<!line )(?<!lines )(?<!place )(?<!one )where|whenever|when(?! (?:we|i|you|\w+ing)\b)|(?<!was )(?<!were )(?<!is )(?<!it's )only (?:when|if|in|for|on|where|inside|while))\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:i mean|no,? wait|scratch that)\b|\.\.\. ?(?:no|wait)\b", re.IGNORECASE
)
_TWO_PLACES = re.compile(
    r"\bit (?:from|in|out of) (?:the )?\w+ and (?:from |in |out of )?the \w+", re.IGNORECASE
)
_EXPLAINED = ("", "definition", "test", "route")
"""Kinds of what "comment this" may ask to explain."""
_POLITELY = re.compile(
    r"\s*,\s*(?P<word>please|pls|plz|thanks|thx)\b(?=\s*(?:$|[.!;,]))", re.IGNORECASE
)
_BUT_NOT_OTHERS = re.compile(r",? but not the others?(?: ones?)?\b", re.IGNORECASE)
_OF_THE_FILE = re.compile(
    r"(?<!leave it)(?<!keep it)(?<!leave them)(?<!keep them) (?:out of|from|in|of|inside) (?:the|this|our|that) (?:(?P<word>\w+) )?(?:file|module|code ?base|repo|repository|project|stylesheet|manifest|script)\b(?! (?:section|tag|key|entry|block)\b)",
    re.IGNORECASE,
)
_THE_CODE = re.compile(
    r"(?:the |that |i mean )?(?P<code>\S+)(?: (?:call|line|one|statement|entry))?", re.IGNORECASE
)
_WHILE = re.compile(r"(?:while|until|till|since|because|as long as|when|once|for)\b", re.IGNORECASE)
_ITS = re.compile(r"(?:its|their)\b", re.IGNORECASE)
_SUBSCRIPT = re.compile(r"[^\W\d][\w.]*\[(?:\"[^\"]*\"|'[^']*')\]")
_QUESTION = re.compile(r"(?<!\bplease)\?\s*$")
_SPARES = re.compile(
    r"^(?:(?:but|and|please|just|only) )*(?:keep|leave|spare)\b|\b(?:stays?|remains?|untouched)\b",
    re.IGNORECASE,
)
_NOT_DELETED = re.compile(
    r"\b(?:don't|do not|not|never|instead of|rather than) (?:to )?(?:delet|remov|drop)\w*(?! (?:comment|remark|note)\b)",
    re.IGNORECASE,
)
_STAYS_THERE = re.compile(
    r"(?:(?:but|and|just|please) )*(?:leave|keep) (?:it|them|that|this|the code|the lines?) (?:in (?:the|this) (?:file|code|script|module)|in place|around|there)\b|[^,;]*\bmight (?:want|need) (?:it|them) (?:back|again)\b",
    re.IGNORECASE,
)
"""Says that what is disabled stays in the file, which a comment does."""
_MARK = re.compile(r"(?<!\S)(?P<mark>//|#|--|/\*(?: ?\*/)?)(?= ?(?:line )?comments?\b)")
_SAYS_OUT = re.compile(r"\b(?:out|disabl\w+|deactivat\w+|off)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|this|that)\b", re.IGNORECASE)
_MANY_OF = ("comment", "print", "log")


def read_targets(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one deletion, commenting out or uncommenting of a described target that a request is, together with what it says goes
    with that; nothing if it is none, asks for several, or has a word that narrows it.
    """
    plain = re.sub(r"[‘’]", "'", text.strip())
    request = _read_request(plain, facts)
    if request is None:
        return
    action, asking = request.action, request.asking
    parts = [parts_of(x.rest) for x in asking]
    companions = [x for part in parts for x in part.companions]
    is_for_now = action != "delete"
    targets = [described(x.thing, request.quotes, facts, is_for_now=is_for_now) for x in parts]
    is_terse = action == "comment" and not _SAYS_OUT.search(request.hidden)
    is_singular = any(_IT.search(x.thing) for x in parts)
    spoken_of = next((x.noun for x in request.spared if x.noun), "")
    for target in _targets(targets, request.subjects, facts, is_singular=is_singular):
        noun = spoken_of if target.noun == "one" and spoken_of else target.noun
        kind = NOUNS.get(noun, "")
        asks_for_all = not target.count and kind in _MANY_OF and any(x.noun for x in targets)
        if (
            (noun == "one" and request.spared)
            or (
                request.with_comment and kind == "comment"
            )  # it is what the comment is about that goes
            or (is_terse and kind in _EXPLAINED)
            or (asks_for_all and not (target.required or request.mark))  # for ``whole``
            or not all(_is_another(x, kind) for x in request.spared)
        ):
            continue
        noun = "" if noun == "one" else noun
        found = replace(
            target,
            noun=noun,
            kind=kind,
            with_comment=request.with_comment,
            mark=request.mark,
            spared=tuple(word.text for x in request.spared for word in x.required),
        )
        if companions and found.is_bare:
            found = replace(found, noun="function", kind="definition", is_bare=False)
        owned = [_companion(x, found, request.quotes, facts) for x in companions if _ITS.match(x)]
        named = [
            _companion(x, found, request.quotes, facts) for x in companions if not _ITS.match(x)
        ]
        base = [] if any(x.is_named_again for x in parts) else [found]
        each = [*owned, *base, *named]
        if None in each:
            continue
        is_implied = all(x.is_weak for x in asking)
        says_comment = "comment" in plain.lower()
        edits = tuple(
            EditTarget(action, x, says_comment, is_implied) for x in each if x is not None
        )
        yield Interpretation(
            edits[0] if len(edits) == 1 else Several(edits), " and ".join(map(_in_words, edits))
        )


@dataclass(frozen=True, slots=True)
class _Request:
    """A request in parts. action: what it asks for, in the clauses ``asking``. subjects: the descriptions of the other clauses, spared:
    of those that say what stays. hidden: the request with signs for its code and quoted texts, which are ``quotes``.
    """

    action: str
    asking: Sequence[AskingClause]
    subjects: Sequence[TargetDescription]
    spared: Sequence[TargetDescription]
    hidden: str
    quotes: Sequence[str]
    mark: str = ""
    with_comment: bool = False


def _read_request(plain: str, facts: BufferFacts) -> _Request | None:
    """The parts of a request; ``None`` if it asks for nothing or several things, or has a word that narrows it."""
    quotes: list[str] = []
    hidden = _with_code_hidden(plain, quotes)
    hidden = re.sub(QUOTED, lambda at: _hide(at[0][1:-1].strip(" .…"), quotes), hidden)
    hidden = _POLITELY.sub(r" \g<word>", _BUT_NOT_OTHERS.sub("", hidden))
    hidden = _OF_THE_FILE.sub(
        lambda at: at[0] if at["word"] and at["word"].lower() in facts.words else "", hidden
    )
    if mark := _MARK.search(hidden):
        hidden = _without(mark, hidden)
    if with_comment := _WITH_COMMENT.search(hidden):
        hidden = _without(with_comment, hidden)
    hidden = with_companions_joined(hidden, facts.names)
    clauses, sparing = _split(hidden)
    asking = [x for x in clauses if x.action and not x.is_weak] or [x for x in clauses if x.action]
    if not asking:
        return None
    others = [x.rest for x in clauses if x not in asking and not _is_after(x, asking, clauses)]
    if (
        len({x.action for x in asking}) != 1
        or (all(x.is_weak for x in asking) and _QUESTION.search(plain))
        or _CORRECTS.search(hidden)
        or _TWO_PLACES.search(hidden)
        or _NARROWS.search(" , ".join(x.rest for x in clauses))
        or any(map(ASKS_ANOTHER.match, others))
        or any(map(facts.places_in, sparing))
    ):
        return None
    cited = [
        x
        for x in others
        if (code := _THE_CODE.fullmatch(x)) and _is_name(code["code"], quotes, facts)
    ]
    if len(cited) == 1 and others.index(cited[0]) + len(asking) >= 1 and clauses[0] in asking:
        others = [x.rest for x in asking] + [x for x in others if x not in cited]
        asking = [replace(asking[0], rest=cited[0])]
    return _Request(
        asking[0].action,
        asking,
        [described(x, quotes, facts) for x in others],
        [described(x, quotes, facts) for x in sparing],
        hidden,
        quotes,
        mark["mark"][:2] if mark else "",
        with_comment is not None,
    )


def _is_name(word: str, quotes: Sequence[str], facts: BufferFacts) -> bool:
    """Whether a word is a call, or a name of the buffer that is spelled as code."""
    text = next((x for number, x in enumerate(quotes) if word == hidden_quote(number)), word)
    name = text.removesuffix("()")
    is_name = name in facts.names or all(x in facts.names for x in re.split(r"\.|::", name))
    return re.search(r"\w\(.", text) is not None or (is_name and is_code_like(name))


def _is_after(
    clause: AskingClause, asking: Sequence[AskingClause], clauses: Sequence[AskingClause]
) -> bool:
    """Whether a clause behind those that ask says for how long, or why, and others before say what is meant."""
    at = clauses.index(clause)
    return (
        _WHILE.match(clause.rest) is not None
        and clauses[0] not in asking
        and clauses.index(asking[-1]) < at
    )


def _companion(
    words: str, target: TargetDescription, quotes: Sequence[str], facts: BufferFacts
) -> TargetDescription | None:
    """The description of a companion of a target, by its own words and, behind "its", by those of the target; ``None`` if it has neither a noun nor a name."""
    own = described(words, quotes, facts)
    if not _ITS.match(words):
        return replace(own, is_bare=False, kind=NOUNS.get(own.noun, "")) if own.required else None
    if not own.noun:
        return None
    names = tuple(x for x in target.required if not x.where)
    return replace(
        target,
        noun=own.noun,
        kind=NOUNS[own.noun],
        required=(*names, *own.required),
        optional=(*target.optional, *own.optional) if target.is_subject else own.optional,
        count=own.count,
        is_bare=False,
        with_comment=False,
    )


def takes_companions(text: str) -> bool:
    """Whether a request says that something goes with what it deletes, so that no half of it may be done."""
    joined = with_companions_joined(text)
    clauses = (asking_clause(x, speaks_of_comments=False) for x in clauses_of(joined))
    return any(x.action == "delete" and parts_of(x.rest).companions for x in clauses)


def _split(hidden: str) -> tuple[list[AskingClause], list[str]]:
    """The clauses of a request, and those, without their verbs, that say what stays."""
    speaks_of_comments = bool(
        re.search(
            r"comment|\bput(?:ting)? (?:a )?(?:#|//)", _NOT_DELETED.sub("", hidden), re.IGNORECASE
        )
        or _STAYS_THERE.search(hidden)
    )
    clauses, sparing = [], []
    for text in clauses_of(hidden):
        clause = asking_clause(text, speaks_of_comments=speaks_of_comments)
        if _STAYS_THERE.match(text):
            continue
        if _SPARES.search(text) and not clause.action:
            sparing.append(_SPARES.sub(" ", text))
        elif not _NOT_DELETED.match(text):
            clauses.append(clause)
    return clauses, sparing


def _is_another(spared: TargetDescription, kind: str) -> bool:
    """Whether what is to stay has words to tell it by, or is of another kind than what is meant."""
    return bool(spared.required) or (bool(spared.noun) and NOUNS.get(spared.noun) != kind)


def _without(found: re.Match[str], text: str) -> str:
    """A text without what was found in it."""
    return f"{text[: found.start()]}{text[found.end() :]}"


def _targets(
    targets: Sequence[TargetDescription],
    subjects: Sequence[TargetDescription],
    facts: BufferFacts,
    *,
    is_singular: bool,
) -> Iterator[TargetDescription]:
    """Yield what the clauses that ask describe (``targets``); if they have no words of their own but for places, what they and the others
    (``subjects``) describe together. Nothing if two of them have words. is_singular: the request speaks of "it".
    """
    own = [x for x in targets if any(not word.where for word in x.required)]
    heads = tuple(filter(None, (_known(x.required, facts) for x in subjects)))
    if heads and not any(
        _known(x.required, facts) for x in own
    ):  # "that monster": of what is spoken of
        targets = [replace(x, required=(), optional=(*x.required, *x.optional)) for x in targets]
        own = []
    if not own and not any(x.required or x.optional for x in subjects):
        own = [x for x in targets if x.required]
    if len(own) > 1:
        return
    target = own[0] if own else targets[0]
    noun = next((x.noun for x in targets if x.noun), "")
    noun = "" if noun == "code" and not own else noun
    if noun == "one":  # "the other one": of what is spoken of
        noun = next((x.noun for x in subjects if x.noun), "one")
    count = next((x.count for x in targets if x.count != 1), 1)
    if not count:
        count = next((x.count for x in (*targets, *subjects) if x.count > 1), 0)
    if own:
        yield replace(target, noun=noun, count=count, heads=heads)
    else:
        words = [word for x in subjects for word in (*x.required, *x.optional)]
        words += [word for x in targets for word in x.optional]
        words = [x for x in words if x.is_exact or x.text.lower() not in LABELS or x.text == noun]
        if count == 1 and not noun and not is_singular:
            count = next((x.count for x in subjects if x.noun), 1)
        yield replace(
            target,
            noun=noun or next((x.noun for x in subjects if x.noun), ""),
            required=(*(word for x in targets for word in x.required), *filter(_is_cited, words)),
            optional=tuple(dict.fromkeys(x for x in words if not _is_cited(x))),
            count=count,
            position=next((x.position for x in (target, *subjects) if x.position), ""),
            is_subject=True,
            heads=heads,
            is_bare=False,
        )


def _is_cited(word: TargetWord) -> bool:
    """Whether a word is code of the buffer, so that another line cannot be meant."""
    return word.is_exact and re.search(r"\w[(\[].", word.text) is not None


def _known(words: Sequence[TargetWord], facts: BufferFacts) -> tuple[TargetWord, ...]:
    """The words that the buffer has in some form."""
    strings = "\n".join(facts.strings).lower()
    return tuple(
        word
        for word in words
        if any(are_forms(word.text, x) for x in facts.words)
        or (word.is_exact and (word.text in facts.names or word.text.lower() in strings))
    )


def _in_words(intent: EditTarget) -> str:
    """The edit as a plain sentence, for which ``refactor`` has a better one once the target is found."""
    words = (word.text for word in intent.target.required)
    return " ".join([intent.action, *words, intent.target.noun]).strip()


def _with_code_hidden(text: str, quotes: list[str]) -> str:
    """A text with signs for its calls with arguments (``f(x)``) and subscripts (``d["x"]``), which are put at the end of ``quotes``."""
    for found in reversed(calls_in(text)):
        if not re.search(r"\((?:e?s)?\)$", found.code):
            text = f"{text[: found.start]}{_hide(found.code, quotes)}{text[found.end :]}"
    return _SUBSCRIPT.sub(lambda at: _hide(at[0], quotes), text)


def _hide(text: str, quotes: list[str]) -> str:
    """A sign in the place of a text, which is put at the end of ``quotes``."""
    quotes.append(text)
    return hidden_quote(len(quotes) - 1)
