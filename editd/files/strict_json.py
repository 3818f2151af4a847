"""JSON values to typed ones, strictly: a wrong value is refused by name, nothing is coerced.

A cattrs converter with these hooks takes dataclasses, tuples and primitives; unknown fields are ignored. The
dataclasses, and the spelling of their fields, are the callers'.
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
    """Register hooks on ``converter`` for dataclasses, tuples, ``Literal`` and primitives that refuse values of another
    type than declared; returns the same converter.

    overrides: for a dataclass, the overrides of its fields for ``make_dict_structure_fn``.
    """
    converter.register_structure_hook_factory(
        is_dataclass, lambda cls: object_hook(converter, cls, overrides(cls))
    )
    for primitive, hook in _STRICT.items():
        converter.register_structure_hook(primitive, hook)
    converter.register_structure_hook_func(
        lambda cls: cast(Any, get_origin(cls)) is Literal,
        lambda value, cls: _literal(value, get_args(cls)),
    )
    converter.register_structure_hook_func(
        lambda cls: getattr(cls, "__origin__", None) is tuple and cls.__args__[-1] is ...,
        lambda value, cls: _structure_tuple(converter, value, cls),
    )
    return converter


def describe(error: Exception, path: str, spell: Callable[[str], str] = str) -> str:
    """The problems of a value that could not be structured, in one line parted by ``; ``, for the client's developer.

    error: what the converter raised. path: the value's name; empty for none. spell: from a field's name to the client's
    spelling.
    """
    problems = transform_error(error, path=path, format_exception=_message)
    return "; ".join(_spelled_problem(problem, spell) for problem in problems)


def object_hook(
    converter: Converter, cls: type, overrides: Mapping[str, Any]
) -> Callable[[Any, Any], Any]:
    """A function that makes a ``cls`` from a JSON object, and raises for everything else."""
    structure: Callable[..., Any] = make_dict_structure_fn(cls, converter, **overrides)
    return lambda value, _: structure(as_object(value), cls)


def as_object(value: Any) -> Mapping[str, Any]:
    """``value`` if it is a JSON object. Raises ``TypeError`` otherwise."""
    if not isinstance(value, Mapping):
        raise TypeError("expected an object")
    return cast("Mapping[str, Any]", value)


def text_or_array(converter: Converter, value: Any, many: Any, items: str) -> Any:
    """``value`` if it is a text, or, if it is an array, that structured by ``converter`` as the type ``many``. items:
    what the array's members are called in the error. Raises ``TypeError`` for any other value, and what the converter
    raises.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"expected a string or an array of {items}")
    return converter.structure(value, many)


def _literal(value: Any, allowed: tuple[str, ...]) -> str:
    """``value`` if it is one of ``allowed``. Raises ``TypeError`` otherwise."""
    if not isinstance(value, str) or value not in allowed:
        raise TypeError(f"expected {' or '.join(map(json.dumps, allowed))}")
    return value


def _strict(primitive: type, name: str) -> Callable[[Any, Any], Any]:
    """A hook that returns values of ``primitive`` and raises ``TypeError`` for others; numbers without a fraction are
    taken for both kinds of numbers, but true and false for none. name: of the type, for the error. For a subclass, such
    as an enumeration, it calls that.
    """

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


def _structure_tuple(converter: Converter, value: Any, cls: Any) -> tuple[Any, ...]:
    """A tuple of any length from a JSON array. Raises ``TypeError`` for anything else, and ``IterableValidationError``
    with the errors of all items together.
    """
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


def _message(error: BaseException, _: type | None) -> str:
    """The sentence for an error of a value: a required field is missing, the error's own first line, or, in place of
    Python's words on types, that another type is expected.
    """
    if isinstance(error, KeyError):
        return "a required field is missing"
    message = str(error).partition("\n")[0]
    # Python's own messages on a value that it cannot work with are for developers of Python.
    is_own_message = not isinstance(error, TypeError | AttributeError) or message.startswith(
        "expected "
    )
    return message if is_own_message else "expected another type"


def _spelled_problem(text: str, spell: Callable[[str], str]) -> str:
    """A problem (``expected a string @ params.edit_token``) with the field's name as the client spells it."""
    what, at, path = text.rpartition(" @ ")
    return what + at + ".".join(spell(name) for name in path.removeprefix(".").split("."))
