"""Python files written by code: lines that begin alike, values that are nearly the same.

``self.items = []``, ``self.items.append(item)``, ``return self.items``: to copy such lines a model must
know which one comes next. Of ``add(1, 12)``, ``add(0.1, 2)`` only one holds the number 1, and of
``group(item="item")`` only half is a string. Within a few hundred tokens real files seldom ask for
that. These files parse, and do nothing sensible.
"""

from __future__ import annotations

from random import Random

from training.families.wording import WORDS, some_number, some_text

_MODULES = ("json", "os", "re", "sys", "time", "math", "logging", "random", "csv")


def write_python(rng: Random) -> str:
    """A file of one to four classes, and functions between them."""
    parts = []
    if rng.random() < 0.4:
        parts.append(f'"""{_sentence(rng)}"""')
    if rng.random() < 0.7:
        modules = rng.sample(_MODULES, rng.randint(1, 2))
        parts.append("\n".join(f"import {module}" for module in sorted(modules)))
    if rng.random() < 0.3:
        parts.append(_list(rng))
    if rng.random() < 0.4:
        parts.append(_table(rng))
    head = "\n\n".join(parts)
    definitions = []
    for _ in range(rng.randint(1, 4)):
        definitions.append(_Class(rng).text())
        if rng.random() < 0.4:
            definitions.append(_function(rng))
        if rng.random() < 0.4:
            definitions.append(_calls(rng))
    return "\n\n\n".join([head, *definitions] if head else definitions) + "\n"


class _Class:
    """A class whose methods use the same few attributes."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        names = rng.sample(WORDS, rng.randint(4, 6))
        self.lists = [f"{name}s" for name in names[:2]]
        self.counts = names[2:3]
        self.given = names[3:]
        self.typed = rng.random() < 0.25
        self.commented = rng.choice((0.0, 0.1, 0.3))
        self.printing = rng.choice((0.0, 0.15, 0.4))

    def text(self) -> str:
        rng = self.rng
        name = "".join(word.capitalize() for word in rng.sample(WORDS, rng.choice((1, 1, 2))))
        base = rng.choice(("", "", "", "(object)", "(Base)"))
        parts = [self._init()]
        verbs = rng.sample(WORDS, rng.randint(1, 4))
        parts += [self._method(verb) for verb in verbs]
        docstring = f'    """{_sentence(rng)}"""\n\n' if rng.random() < 0.3 else ""
        return f"class {name}{base}:\n{docstring}" + "\n\n".join(parts)

    def _init(self) -> str:
        lines = [f"self.{name} = {name}" for name in self.given]
        lines += [f"self.{name} = {self.rng.choice(('[]', '[]', '{}'))}" for name in self.lists]
        lines += [
            f"self.{name} = {self.rng.choice(('0', some_number(self.rng)))}" for name in self.counts
        ]
        return self._def("__init__", self.given, lines)

    def _method(self, verb: str) -> str:
        rng = self.rng
        given = rng.sample(self.given, min(len(self.given), rng.randint(0, 2)))
        item = given[0] if given else "None"
        lines = [self._statement(item) for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))]
        lines.append(self._last(item))
        docstring = [f'"""{_sentence(rng)}"""'] if rng.random() < 0.2 else []
        return self._def(verb, given, [*docstring, *lines])

    def _def(self, name: str, given: list[str], lines: list[str]) -> str:
        rng = self.rng
        parameters = ["self"]
        for index, item in enumerate(given):
            kind = f": {rng.choice(('int', 'str', 'list[str]'))}" if self.typed else ""
            default = index == len(given) - 1 and rng.random() < 0.25
            parameters.append(
                f"{item}{kind}" + (rng.choice((" = 1", " = None")) if kind else "=1") * default
            )
        body = []
        for line in lines:
            if rng.random() < self.commented:
                body.append(f"# {_sentence(rng)}")
            if rng.random() < self.printing:
                body.append(f'print("{some_text(rng)}", self.{rng.choice(self.lists)})')
            body += line.split("\n")
        return "\n".join(
            [f"    def {name}({', '.join(parameters)}):", *(f"        {line}" for line in body)]
        )

    def _statement(self, item: str) -> str:
        rng = self.rng
        items, count = rng.choice(self.lists), rng.choice(self.counts)
        other = rng.choice(self.given)
        return rng.choice(
            (
                f"self.{items}.append({item})",
                f"self.{items}.append(({item}, self.{other}))",
                f"self.{items}.extend(self.{other})",
                f"self.{items} = []",
                f"self.{items} = sorted(self.{items})",
                f"self.{items}[{item}] = {some_number(rng)}",
                f"self.{count} += 1",
                f"self.{count} = {some_number(rng)}",
                f"self.{other} = {item}",
                f'self.{other} = "{some_text(rng)}"',
                f"self.{other}({item})",
                f"{count} = self.{other}.{count}({item})",
                f"if not self.{items}:\n    return {item}",
                f"if {item} in self.{items}:\n    self.{count} -= 1",
                f"for {other} in self.{items}:\n    self.{count} += {other}",
                f"for {other} in self.{items}:\n    {other}.{count} = {some_number(rng)}",
            )
        )

    def _last(self, item: str) -> str:
        rng = self.rng
        items, count = rng.choice(self.lists), rng.choice(self.counts)
        other = rng.choice(self.given)
        return rng.choice(
            (
                f"return self.{items}",
                f"return len(self.{items})",
                f"return self.{items}[{item}]",
                f"return self.{count}",
                f"return self.{other} + self.{count}",
                f"return sum({other}.{count} for {other} in self.{items})",
                f"return [{other} for {other} in self.{items} if {other} != {item}]",
                f'return "{some_text(rng)} {{}}".format(self.{other})',
                f"return {item}",
                f"self.{items}.remove({item})",
                f"self.{items}.append({item})",
                f"self.{items} = []",
                f"self.{count} = {some_number(rng)}",
            )
        )


def _function(rng: Random) -> str:
    name, item, *given = rng.sample(WORDS, 5)
    lines = [
        f"{item} = {given[0]}({given[1]})",
        f"{item}.{given[2]}({given[0]})",
        f"{item}.{given[2]} = {some_number(rng)}",
        f'{item}.{given[2]}("{some_text(rng)}")',
        f"print({item}.{given[2]})",
        f'{given[1]} = "%s {rng.choice(WORDS)}" % {given[0]}',
        f"for {given[2]} in {given[0]}:\n        {item}.{given[1]}({given[2]})",
    ]
    body = rng.sample(lines, rng.randint(1, 4))
    parameters = ", ".join(given[: rng.randint(1, 3)])
    return "\n".join(
        [f"def {name}({parameters}):", *(f"    {line}" for line in body), f"    return {item}"]
    )


def _table(rng: Random) -> str:
    """Keys and values of which some are alike."""
    keys = rng.sample(WORDS, rng.randint(3, 6))
    values = [*keys[:2], *(f"{rng.choice(keys)}_{rng.choice(WORDS)}" for _ in keys)]
    kind = rng.random()
    lines = []
    for key in keys:
        text = rng.choice((rng.choice(values), some_text(rng)))
        value = f'"{text}"' if kind < 0.5 else _small_number(rng)
        lines.append(f'    "{key}": {value},')
    name = rng.choice(WORDS).upper()
    if kind > 0.8:
        return "\n".join(f"{key.upper()} = {_small_number(rng)}" for key in keys)
    return "\n".join([f"{name} = {{", *lines, "}"])


def _calls(rng: Random) -> str:
    """A function of calls whose arguments are nearly the same."""
    name, item, *words = rng.sample(WORDS, 6)
    lines = [f"{item} = {words[0]}()"]
    for _ in range(rng.randint(2, 5)):
        word = rng.choice(words)
        number, second = _small_number(rng), _small_number(rng)
        text = rng.choice((word, rng.choice(words), some_text(rng)))
        lines.append(
            rng.choice(
                (
                    f"{item}.{word}({number}, {second})",
                    f"{item}.{word}([({number}, {second}), ({second}, {_small_number(rng)})])",
                    f'{item}.{word}({number}, {words[1]}="{text}")',
                    f'{item}.{word} = {words[1]}({item}["{text}"], {number})',
                    f'assert {item}.{word}("{text}", "{rng.choice(words)}") == {number}',
                    f"assert {item}[{number}].{word} == {{{number}: {second}}}",
                    f'{word} = {words[1]}({word}="{text}", {words[2]}={number})',
                )
            )
        )
    return "\n".join([f"def {name}():", *(f"    {line}" for line in lines)])


def _small_number(rng: Random) -> str:
    """Of few digits, so that the same ones often stand in others."""
    return rng.choice(
        (
            str(rng.randrange(4)),
            str(rng.randrange(22)),
            f"{rng.randrange(3)}.{rng.choice((1, 2, 5))}",
        )
    )


def _list(rng: Random) -> str:
    """Names of which some begin like others."""
    first = rng.sample(WORDS, rng.randint(2, 4))
    names = {
        "_".join([rng.choice(first), *rng.sample(WORDS, rng.choice((0, 1, 1, 2)))])
        for _ in range(9)
    }
    name = rng.choice(("__all__", "__all__", f"{rng.choice(WORDS)}s".upper()))
    lines = [f'    "{item}",' for item in sorted(names)]
    return "\n".join([f"{name} = [", *lines, "]"])


def _sentence(rng: Random) -> str:
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 6)))
    return words.capitalize() + rng.choice((".", ".", ""))
