"""Tells a model's talk from the text that it was asked to write.

Knows single lines of English; knows nothing of fences or buffers. ``is_talk`` is narrow: phrases with which chat
models begin and end, and hardly any file does. ``reads_like_prose`` is wide: any sentence, so it may only be asked
about a text that is known to be no prose itself.
"""

from __future__ import annotations

import re

from editd.syntax.language import is_file_name

_THING = (
    r"(?:code|file|version|implementation|function|method|class|buffer|contents?|snippet|document|"
    r"script|program|text|solution|region|section|selection)s?\b"
)

_CHANGED = (
    r"(?:updated|modified|revised|refactored|corrected|complete|completed|full|rewritten|edited|"
    r"improved|fixed|final|new|changed|requested|resulting)"
)

_TALK = re.compile(
    rf"(?:sure|certainly|of course|absolutely|okay|alright|great|no problem)(?:[!.:,]| thing)(?:\s|$)"
    rf"|(?:here(?:'s| is| are)|below (?:is|are)) (?:the|your|an?|my|how)\b.*(?:{_THING}.*|:)$"
    rf"|(?:the|this) {_CHANGED} {_THING}"
    rf"|in (?:the|this) {_CHANGED} {_THING}"
    r"|i(?:'ve| have) (?:added|updated|removed|changed|renamed|made|replaced|refactored|modified|fixed|"
    r"rewritten|moved|kept|converted|implemented)\b"
    r"|i (?:added|updated|removed|changed|renamed|made the|replaced|refactored|modified|fixed|rewrote) "
    r"|let me (?:know|explain|update|rewrite|make)\b"
    r"|(?:explanation|changes made|summary of (?:the )?changes|key changes|what changed)(?: \w+)*:?$"
    r"|note that (?:i|the (?:rest|code|above))\b"
    r"|(?:hope|i hope) this helps\b",
    re.IGNORECASE,
)

_REFUSAL = re.compile(
    r"(?:i am|i'm) (?:sorry|unable|afraid|not able)\b"
    r"|(?:sorry|apologies|unfortunately),? (?:but )?(?:i|there|the|this|it)\b"
    r"|i (?:cannot|can't|can not|won't|will not|could not|couldn't|do not|don't|am unable) "
    r"|as an ai\b"
    r"|(?:could you|can you)(?: please)? (?:provide|share|clarify|paste)\b"
    r"|please (?:provide|share|clarify|paste) (?:the|your|more)\b",
    re.IGNORECASE,
)

_GREETING = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|alright|great|no problem)(?: thing)?[!.,:]?",
    re.IGNORECASE,
)

_THINKING_ALOUD = re.compile(
    r"(?:okay|alright|great|so|well|hmm|wait|now|first|next|then|but|maybe|let|i|we)\b",
    re.IGNORECASE,
)

_THOUGHT = re.compile(
    r"\bthe user\b|^(?:wait|hmm+|hm)\b|\blet me (?:think|check|look|see|re-?read|start|analy[sz]e|consider)\b"
    r"|\b(?:i|we) (?:need|have) to\b|^(?:okay|alright|so),? (?:so|let|i|we|the)\b|^analysis(?-i:$|We|The|User|Okay)",
    re.IGNORECASE,
)

_HEADING = re.compile(
    r"\W*(?:(?:the|my|final|updated|complete|full|new) )*(?:answer|version|code|output|solution|result|response|file)\W*",
    re.IGNORECASE,
)

_LABEL = re.compile(r"(?:[\w.'/-]+ ){0,3}[\w.'/-]+[*_`]*:[*_`]*")
_CODE = re.compile(r"[{}()\[\]=;<>_$\\|@#]|::|->|//|/\*|--|\w\.\w")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<=\s)\(.*?\)")


def is_talk(line: str) -> bool:
    """Whether the model speaks of its answer in this line: "Sure! Here is the updated code:"."""
    return bool(_TALK.match(_bare(line))) or is_refusal(line)


def introduces(line: str) -> bool:
    """Whether a line only announces the text that follows: "Sure!", "Updated code:", "### `a.py`".

    False for a line of a thought or a refusal, and for a sentence that ends in neither ``:`` nor
    ``.``.
    """
    bare = _bare(line).strip("#>*_` ")
    if _GREETING.fullmatch(bare) or is_file_name(
        re.sub(r"^file(?:name)?:? *|[`*:]+$", "", bare, flags=re.IGNORECASE)
    ):
        return True
    if is_refusal(line) or _THINKING_ALOUD.match(bare):
        return False
    return (is_talk(line) and bare.endswith((":", "."))) or bool(_LABEL.fullmatch(bare))


def thinks_aloud(line: str) -> bool:
    """Whether the line is from a thought: "Okay, the user wants …", "Wait, …"."""
    return bool(_THOUGHT.search(_bare(line)))


def is_heading_of_answer(line: str) -> bool:
    """Whether the line announces the final answer: "**Final answer**"."""
    return bool(_HEADING.fullmatch(_bare(line)))


def is_refusal(line: str) -> bool:
    """Whether the line declines: "I'm sorry, but I cannot …"."""
    return bool(_REFUSAL.match(_bare(line)))


def reads_like_prose(line: str) -> bool:
    """Whether the line is a sentence: four words or more, cased and ended as one, no code in it."""
    bare = _bare(line)
    return (
        len(bare.split()) >= 4
        and bare[0].isupper()
        and bare.endswith((".", ":", "!", "?", "…"))
        and not _CODE.search(_QUOTED.sub("", bare))
    )


def is_prose(text: str) -> bool:
    """Whether a fifth of a text's lines are sentences, as a README's are, so that prose is no sign of talk."""
    lines = [line for line in text.splitlines() if line.strip()]
    return 5 * sum(map(reads_like_prose, lines)) >= len(lines) > 0


def _bare(line: str) -> str:
    """The line without Markdown's emphasis around it, with straight apostrophes.

    A leading ``#`` stays: a comment that mentions "the new file" is code, not talk.
    """
    return line.strip().strip("*_ ").replace("’", "'")
