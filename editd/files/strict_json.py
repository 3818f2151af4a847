"""JSON values to typed ones, strictly: a wrong value is refused by name, nothing is coerced.

A cattrs converter with these hooks takes dataclasses, tuples and primitives; unknown fields are
ignored. Which dataclasses there are, and how their fields are spelt, is for those who use it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, Literal, cast, get_args, get_origin

from cattrs import Converter, IterableValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn
from cattrs.v import transform_error


def make_strict(
    converter: Converter, overrides: Callable[[type], dict[str, Any]] = lambda _cls: {}
) -> Converter:
    """``converter``, taking nothing of another type than asked for.

    overrides: ``make_dict_structure_fn``'s for a dataclass' fields.
    """
    converter.register_structure_hook_factory(
        is_dataclass, lambda cls: object_hook(converter, cls, overrides(cls))
    )
    for primitive, hook in _STRICT.items():
        converter.register_structure_hook(primitive, hook)
    converter.register_structure_hook_func(
        lambda cls: cast(Any, get_origin(cls)) is Literal,
        lambda value, cls: _choice(value, get_args(cls)),
    )
    converter.register_structure_hook_func(
        lambda cls: getattr(cls, "__origin__", None) is tuple and cls.__args__[-1] is ...,
        lambda value, cls: _tuple(converter, value, cls),
    )
    return converter


def describe(error: Exception, path: str, spell: Callable[[str], str] = str) -> str:
    """What is wrong with a value that could not be structured, for the client's developer.

    path: what the value is called; empty for nothing. spell: from a field's name to how the client
    spelt it.
    """
    problems = transform_error(error, path=path, format_exception=_format)
    return "; ".join(_problem(problem, spell) for problem in problems)


def object_hook(
    converter: Converter, cls: type, overrides: Mapping[str, Any]
) -> Callable[[Any, Any], Any]:
    """What makes a ``cls`` of a JSON object, and refuses everything else."""
    structure: Callable[..., Any] = make_dict_structure_fn(cls, converter, **overrides)
    return lambda value, _: structure(as_object(value), cls)


def as_object(value: Any) -> Mapping[str, Any]:
    """``value`` if it is a JSON object; raises ``TypeError`` otherwise."""
    if not isinstance(value, Mapping):
        raise TypeError("expected an object")
    return cast("Mapping[str, Any]", value)


def text_or(converter: Converter, value: Any, many: Any, of: str) -> Any:
    """A text, or a ``many`` of what ``of`` names."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"expected a string or an array of {of}")
    return converter.structure(value, many)


def _choice(value: Any, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise TypeError(f"expected {' or '.join(map(json.dumps, allowed))}")
    return value


def _strict(primitive: type, name: str) -> Callable[[Any, Any], Any]:
    def hook(value: Any, cls: Any) -> Any:
        if cls is not primitive:
            return cls(value)  # an enumeration of LSP's, which has members of this type
        if cls is float and type(value) is int:
            return float(value)
        if cls is int and type(value) is float and value.is_integer():
            return int(value)  # some languages of clients know only one kind of number
        if type(value) is not cls:
            raise TypeError(f"expected {name}")
        return value

    return hook


_STRICT: dict[type, Callable[[Any, Any], Any]] = {
    str: _strict(str, "a string"),
    bool: _strict(bool, "true or false"),
    int: _strict(int, "an integer"),
    float: _strict(float, "a number"),
}


def _tuple(converter: Converter, value: Any, cls: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError("expected an array")
    items, problems = [], []
    for index, item in enumerate(value):
        try:
            items.append(converter.structure(item, cls.__args__[0]))
        except Exception as error:  # noqa: BLE001  all errors are reported together
            error.add_note(IterableValidationNote(f"item {index}", index, cls.__args__[0]))
            problems.append(error)
    if problems:
        raise IterableValidationError("items are wrong", problems, cls)
    return tuple(items)


def _format(error: BaseException, _: type | None) -> str:
    if isinstance(error, KeyError):
        return "a required field is missing"
    message = str(error).partition("\n")[0]
    # What Python says of a value that it cannot work with is for Python's own developers.
    ours = not isinstance(error, TypeError | AttributeError) or message.startswith("expected ")
    return message if ours else "expected another type"


def _problem(text: str, spell: Callable[[str], str]) -> str:
    """``expected a string @ params.edit_token`` with the field's name as the client spelt it."""
    what, at, path = text.rpartition(" @ ")
    return what + at + ".".join(spell(name) for name in path.removeprefix(".").split("."))
