"""Delete comments: how people ask that they go."""

from __future__ import annotations

import re
from dataclasses import replace

from editd.intent.english import FUNCTION_WORDS, QUOTED, plain_name
from editd.intent.intents import DeleteComments
from editd.intent.restrictions import excepts
from editd.intent.rules.frames import deleted_in
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import deleting, deleting_all, deleting_too

_COMMENTS = "(EVERY|the|any)? (the)? (code|inline)? comments?"
_PARAPHRASED = "(EVERY|the|any|my|both|any of)? (the|of the|those|these|of those|of these)? (code|inline|inline and block|line|block|useless|#|//)? comments? (lines?|blocks?)?"


DELETE_COMMENTS = Rule(
    "delete-comments",
    canonical=deleting(_COMMENTS),
    paraphrases=(
        *deleting(_PARAPHRASED),
        *deleting_too(_PARAPHRASED),
        *deleting_all(_PARAPHRASED),
    ),
    plain="delete all comments",
    intent=lambda _: DeleteComments(),
    takes_location=True,
    examples=(
        ("remove all comments", DeleteComments()),
        ("I don't want any comments in this code", DeleteComments()),
    ),
    near_misses=(
        "remove the comment above parse",
        "don't remove the comments",
        "remove the comments only where they are wrong",
        "remove the commented-out code",
    ),
)
_ONE = "(the|that|this)"
DELETE_COMMENT_WITH_TEXT = Rule(
    "delete-a-comment",
    paraphrases=(
        f"DELETE {_ONE} CODE (todo|fixme|code|inline)? comment",
        f"DELETE {_ONE} (todo|fixme|code|inline)? comment (with|saying|that says|that reads|containing|mentioning|that mentions|:)? CODE",
        f"DELETE {_ONE} OLDMARK comments?",
        f"DELETE {_ONE} OLDMARK",
    ),
    intent=lambda slots: DeleteComments(text=slots.get("code") or slots["old"]),
    name_slots=(),
    is_certain=lambda _: True,
    takes_location=True,
    is_of_one=True,
    examples=(
        ("delete the FIXME comment", DeleteComments(text="FIXME")),
        ("remove the comment that says 'not used'", DeleteComments(text="not used")),
    ),
    near_misses=("remove the outdated comment", "delete the comment about the cache"),
)
"""Of one comment, by a text in it."""
DELETE_COMMENT_BESIDE = Rule(
    "delete-a-comment",
    paraphrases=(
        f"DELETE {_ONE} (trailing|inline|end-of-line)? comment (behind|after|next to|beside|on the line (of|with)|at the end of (the line)?) ANCHOR",
    ),
    intent=lambda slots: DeleteComments(beside=slots["anchor"]),
    takes_location=True,
    is_of_one=True,
    examples=(
        ("delete the comment behind self.d.clear()", DeleteComments(beside="self.d.clear()")),
    ),
)
"""Of one comment, by the code before it."""
DELETE_COMMENTED_CODE = Rule(
    "delete-a-comment",
    paraphrases=(
        f"DELETE {_ONE} (commented-out|commented out|uncommented|outcommented) (line|statement)",
        f"DELETE {_ONE} (commented-out|commented out|outcommented) TEST (code|lines?|statements?|calls?|print|import|block)",
        f"DELETE {_ONE} (commented-out|commented out|outcommented) CODE (code|lines?|statements?|calls?|print|import|block)?",
    ),
    intent=lambda slots: DeleteComments(
        text=slots.get("code") or slots.get("test", ""), is_code=True
    ),
    takes_location=True,
    is_of_one=True,
    examples=(
        ("remove the commented-out dropout line", DeleteComments(text="dropout", is_code=True)),
    ),
)
"""Of code that was commented out."""
DELETE_ONLY_COMMENT = Rule(
    "delete-a-comment",
    paraphrases=(f"DELETE {_ONE} (only|html|xml|css|block|inline|line|trailing|single) comment",),
    intent=lambda _: DeleteComments(is_only=True),
    takes_location=True,
    is_of_one=True,
    examples=(("remove the html comment", DeleteComments(is_only=True)),),
)
"""Of the only comment of a text."""

_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4}
_COMMENT = re.compile(
    r"(?:(?P<count>both|two|three|four)(?: of)? )?(?:the |that |this |those |these |my |our |all )*(?P<before>.*?) ?"
    r"\b(?P<kind>(?:doc|documentation|docs|code|inline|trailing|block|line|end-of-line|header|one-line|single-line|old|stale|silly|stupid|useless) )*"
    r"(?P<noun>comments?|remarks?|javadocs?|jsdoc|doc-comments?|todos?|fixmes?|note)\b(?: (?:comments?|notes?))?(?! lines?\b)"
    rf"(?: ?(?:about|that says|that reads|which says|saying|mentioning|with|regarding|concerning|on the topic of|:) ?(?P<about>{QUOTED}|.+?))??"
    r"(?P<place> (?:right |directly |just )?(?:above|before|over|on top of|behind|after|next to|beside|below|in|inside|of|from|for|on|at the (?:end|top) of) .+)?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r" (?:right |directly |just )?(?P<side>above|before|over|on top of|behind|after|next to|beside|below|in|inside|of|from|for|on|at the (?:end|top) of)"
    r" (?:the )?(?:(?:line|call|statement|function|method|class|struct|field|key|entry|section)s? )?(?:with |of )?"
    r"(?P<name>`[^`]+`|\"[^\"]+\"|.+?)(?: (?:line|call|function|method|class|struct|statement|section))?",
    re.IGNORECASE,
)
_QUOTED_COMMENT = re.compile(
    r"(?:the )?(?P<mark>[\"'`]?)(?P<text>(?:#|//|/\*|--|<!--) ?\w.*?)(?P=mark)(?: comment)?"
)
_COMMENTED_OUT = re.compile(
    r"(?:the |that |this |those )?(?:commented[- ]out|outcommented|commented) (?P<text>.+?)(?: (?:lines?|code|block|section|part|statement|call|import|print))?"
    r"(?: (?:at|near) the (?:very )?(?:end|bottom|top|start)(?: of the file)?)?",
    re.IGNORECASE,
)
_WITH_MARK = re.compile(
    r"(?:all )?(?:only )?(?:the )?(?P<mark>//|#|--) comments(?:,? \(?(?:but )?(?:leave|keep|not) (?:the |any )?(?:/\*\*? ?(?:\.\.\. ?|… ?)?\*/|///|doc(?:umentation)?|jsdoc|javadoc)"
    r"(?: (?:ones|comments|blocks?))?(?: (?:alone|in place|as (?:they are|is)|untouched))?\)?)",
    re.IGNORECASE,
)
_MORE = re.compile(  # something else and its comment
    r".*\b(?:and|with|plus|incl(?:uding|\.)?) (?:its|their|the) (?:comments?|jsdoc|javadoc|doc-?comment)\b",
    re.IGNORECASE,
)
_NO_TEXT = FUNCTION_WORDS | frozenset(
    ["old", "stale", "outdated", "silly", "little", "stupid", "useless", "wrong", "own", "code"]
)


def _described(text: str) -> DeleteComments | None:
    """The intent of a request that one comment goes, which is described by words in it, the place or the code beside
    it; so many as are counted in a place; those with a sign where documentation stays; or code that is commented out
    (``is_code``). ``None`` for another request, one with an exception ("all but"), and for a plural without a number.
    """
    what = deleted_in(text)
    if found := _WITH_MARK.fullmatch(what):
        return DeleteComments(mark=found["mark"])
    if not what or excepts(re.sub(QUOTED, "", what)) or _MORE.match(what):
        return None
    if found := _QUOTED_COMMENT.fullmatch(what):
        return DeleteComments(text=found["text"])
    if found := _COMMENTED_OUT.fullmatch(what):
        return DeleteComments(text=_words(found["text"]), is_code=True)
    what = re.sub(r"^(?:the )?([\w.]+)['’]s ((?:\w+ )?\w+)$", r"\2 of \1", what)
    found = _COMMENT.fullmatch(what)
    if found is None:
        return None
    noun = found["noun"].lower()
    words = f"{found['before']} {found['about'] or ''}"
    if noun.startswith(("todo", "fixme")):
        words += f" {noun.rstrip('s')}"
    intent = DeleteComments(
        text=_words(words),
        is_documentation="doc" in noun or (found["kind"] or "").lower().startswith("doc"),
        count=_NUMBERS.get((found["count"] or "").lower(), 0),
    )
    is_plural = noun.endswith("s")
    if is_plural and not intent.count:
        return None  # the rules' own
    return _at_place(intent, found["place"] or "")


def _at_place(intent: DeleteComments, place: str) -> DeleteComments | None:
    """The intent with the place that the words behind "comment" name: the number of a line, the code below it ("above
    load") or beside it, or the definition around it. Empty words leave it as it is.

    ``None`` for other words or sides ("below"), and for empty ones if nothing says which comment is meant, or a number
    of comments is said.
    """
    found = _PLACE.fullmatch(place)
    if place and found is None:
        return None
    if found is None:
        is_one = intent.text or intent.is_documentation
        return intent if is_one and not intent.count else None
    side, name = found["side"].lower(), plain_name(found["name"])
    if number := re.fullmatch(r"(?:line )?(\d+)", name):
        return (
            replace(intent, line=int(number[1])) if side in ("on", "in", "at the end of") else None
        )
    if side in ("above", "before", "over", "on top of") or intent.is_documentation:
        return replace(intent, above=name)
    if side in ("behind", "after", "next to", "beside", "at the end of", "on"):
        return replace(intent, beside=name)
    if side in ("below", "at the top of"):
        return None
    is_only = not intent.text and not intent.count
    return replace(intent, location=name, is_only=is_only)


def _words(text: str) -> str:
    """The telling words of a text, without function words, quotes and the marks of comments."""
    words = re.findall(r"[\w-]+", re.sub(r"['’]s\b", "", text))
    return " ".join(word for word in words if word.lower() not in _NO_TEXT)


DELETE_DESCRIBED_COMMENT = Guess(
    "delete-a-comment",
    reads=_described,
    examples=(
        ("that sha1 comment is embarrassing, remove it", DeleteComments(text="sha1")),
        (
            "remove the doc comment above WordCount",
            DeleteComments(above="WordCount", is_documentation=True),
        ),
        ("the comment about mtime can go", DeleteComments(text="mtime")),
        ('delete "# one day"', DeleteComments(text="# one day")),
        ("the comment above app.listen can go", DeleteComments(above="app.listen")),
        ("the TODO in load is done, remove it", DeleteComments(text="todo", location="load")),
        ("both comments in clean can go", DeleteComments(location="clean", count=2)),
        ("remove the // comments, but keep the doc comments", DeleteComments(mark="//")),
        ("delete the comment on line 12", DeleteComments(line=12)),
        ("remove the commented out ports", DeleteComments(text="ports", is_code=True)),
    ),
    near_misses=(
        "remove the comments except the first",
        "delete the comments",
        "the comments in load are wrong, fix them",
    ),
)
"""Of one comment that the buffer has, by words in it or by its place."""
