"""How instructions are worded: templates, quotes, capitals; and names and texts to fill them with.

Knows English, not code. A template's ``{slots}`` are filled by its family; of ``[this|that]`` one is
chosen.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from dataclasses import dataclass
from random import Random

_CHOICE = re.compile(r"\[([^][]*)\]")


@dataclass(slots=True)
class Phrasings:
    """Ways to say one thing. ``held_out`` ones appear in no training example; a benchmark may set others."""

    training: tuple[str, ...]
    held_out: tuple[str, ...]

    def say(self, rng: Random, *, held_out: bool, **slots: str) -> str:
        """A random template, filled with ``slots``, as a person might type it."""
        template = rng.choice(self.held_out if held_out else self.training)
        template = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), template)
        chance = rng.random()
        if chance < 0.06 and template[0].islower():
            template = f"please {template}"
        if rng.random() < 0.35 and template[0].islower():
            template = template[0].upper() + template[1:]
        if rng.random() < 0.15 and not template.endswith("}"):
            template += "."
        return template.format(**slots)


def quoted(rng: Random, name: str) -> str:
    """A name as people write names: mostly bare, else in some quotes."""
    return rng.choice(("{}", "{}", "{}", "`{}`", "'{}'", '"{}"')).format(name)


def quoted_alike(rng: Random, *names: str) -> tuple[str, ...]:
    """A list of names in the same quotes, or bare."""
    form = rng.choice(("{}", "{}", "{}", "`{}`", "'{}'", '"{}"'))
    return tuple(form.format(name) for name in names)


def new_name(old: str, rng: Random, taken: Collection[str]) -> str:
    """A name for what was called ``old``: none of ``taken``, no keyword."""
    for _ in range(20):
        name = _some_name(old, rng)
        if name.isidentifier() and name not in taken and not keyword.iskeyword(name):
            return name
    return f"renamed_{old.strip('_')}"


def some_text(rng: Random) -> str:
    """A random text for a string literal, without quotes, backslashes or line ends."""
    kind = rng.random()
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 4)))
    if kind < 0.4:
        return words
    if kind < 0.6:
        return words.capitalize() + rng.choice((".", "!", ": ", " ...", "?"))
    if kind < 0.75:
        return rng.choice("/._-,:").join(words.split())
    if kind < 0.85:
        return f"https://{rng.choice(WORDS)}.example.com/{rng.choice(WORDS)}"
    return random_word(rng, 2, 9)


def some_number(rng: Random) -> str:
    """A number literal without a sign."""
    kind = rng.random()
    if kind < 0.8:
        return str(rng.randrange(10 ** rng.randint(1, 4)))
    return f"{rng.randrange(100)}.{rng.choice((5, 25, 75, 1, 2))}"


def random_word(rng: Random, shortest: int, longest: int) -> str:
    """Letters that mean nothing."""
    return "".join(
        rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(shortest, longest))
    )


def words_of(name: str) -> list[str]:
    """``parse_HTTPHeader`` → ``["parse", "http", "header"]``."""
    pieces = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [piece.lower() for piece in pieces]


def _some_name(old: str, rng: Random) -> str:
    kind = rng.random()
    words = [rng.choice(WORDS) for _ in range(rng.choice((1, 2, 2, 3)))]
    if kind < 0.18:
        return old + rng.choice(("_new", "2", "_v2", "_old", "_impl", "_list", "_id", "_", "s"))
    if kind < 0.3:
        return rng.choice(("new_", "my_", "the_", "raw_", "_", "is_", "num_")) + old
    if kind < 0.42 and len(words_of(old)) > 1:
        first, *rest = words_of(old)
        return first + "".join(word.capitalize() for word in rest)
    if kind < 0.5 and len(words_of(old)) > 1:
        return "_".join(words_of(old))
    if kind < 0.6 and len(words_of(old)) > 1:
        words = words_of(old)
        words[rng.randrange(len(words))] = rng.choice(WORDS)
        return "_".join(words)
    if kind < 0.68:
        return random_word(rng, 1, 8)
    if old[:1].isupper() and "_" not in old and rng.random() < 0.8:
        return "".join(word.capitalize() for word in words)
    if old.isupper() and rng.random() < 0.8:
        return "_".join(words).upper()
    return "_".join(words)


_WORDS_TEXT = """
    user item count total index name path value result data node config buffer line offset size
    limit token parse load save read write update fetch build make get set old tmp raw max min
    first last next prev file text key entry record table client server handler state cache
    queue worker task event message request response session url host port time date start end
    flag mode level depth width height color code type kind field row column cell matrix vector
    score weight rate step batch epoch order price stock invoice customer account balance report
    page menu button window frame panel image pixel sound track video stream packet header
    footer body query filter sort group merge split join match replace format encode decode
    compress hash sign verify lock unlock open close connect send receive publish subscribe
    schedule retry timeout delay timer clock counter total average median range bucket segment
    chunk block page shard region zone city country street address phone email role owner team
    project release version branch commit patch diff tag label title summary detail note comment
    reply thread channel topic feed profile avatar badge token secret policy rule scope grant
    audit trace metric alert signal sensor motor wheel engine battery charge voltage current
    pressure temperature angle speed distance route map marker layer tile sprite camera light
    shadow texture mesh shader
"""
WORDS = tuple(_WORDS_TEXT.split())
