"""JSON values to typed params and back, strictly: a wrong value is refused by name.

One cattrs converter serves standard LSP types (as lsprotocol registers them) and our own
dataclasses (camelCase but for OpenAI's, unknown fields ignored as LSP asks, nothing coerced:
``"3"`` is no number).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, cast

from cattrs import Converter, IterableValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.v import transform_error
from lsprotocol.converters import get_converter
from lsprotocol.types import OptionalVersionedTextDocumentIdentifier, Position, Range

from editd.lsp import chat, methods
from editd.messages import Stats


@functools.cache
def make_converter() -> Converter:
    """The converter, which is costly to make and holds no state."""
    converter = get_converter()
    for primitive, hook in _STRICT.items():
        converter.register_structure_hook(primitive, hook)
    for cls in _OBJECTS:
        converter.register_structure_hook(cls, _object_hook(converter, cls))
    converter.register_structure_hook(methods.EditToken, _token)
    converter.register_structure_hook(
        str | int | None, lambda value, _: None if value is None else _token(value, int)
    )
    converter.register_structure_hook(methods.HunkIds, _hunk_ids)
    converter.register_structure_hook(
        chat.Content,
        lambda value, _: _text_or(converter, value, tuple[chat.TextPart, ...], "text parts"),
    )
    converter.register_structure_hook(
        chat.StopParam | None,
        lambda value, _: (
            None if value is None else _text_or(converter, value, tuple[str, ...], "strings")
        ),
    )
    converter.register_structure_hook_func(
        lambda cls: getattr(cls, "__origin__", None) is tuple and cls.__args__[-1] is ...,
        lambda value, cls: _tuple(converter, value, cls),
    )
    converter.register_structure_hook_func(
        lambda cls: cls == dict[str, Any], lambda value, _: dict(_object(value))
    )
    converter.register_structure_hook_factory(
        dataclasses.is_dataclass, lambda cls: _object_hook(converter, cls)
    )
    converter.register_unstructure_hook_factory(
        dataclasses.is_dataclass, lambda cls: _unstructure_hook(converter, cls)
    )
    return converter


def describe(error: Exception, spell: Callable[[str], str] | None = None) -> str:
    """What is wrong with params that could not be structured, for the client's developer.

    spell: from a field's name to how the client spelt it, ``camel`` by default.
    """
    problems = transform_error(error, path="params", format_exception=_format)
    return "; ".join(_problem(problem, spell or camel) for problem in problems)


def camel(name: str) -> str:
    """``edit_token`` → ``editToken``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _object_hook(converter: Converter, cls: type) -> Callable[[Any, Any], Any]:
    structure: Callable[..., Any] = make_dict_structure_fn(cls, converter, **_renames(cls))

    def hook(value: Any, _: Any) -> Any:
        return structure(_object(value), cls)

    return hook


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError("expected an object")
    return cast("Mapping[str, Any]", value)


def _unstructure_hook(converter: Converter, cls: type) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(cls, converter, **_renames(cls))


def _renames(cls: type) -> dict[str, Any]:
    """Each field's name on the wire; a field that may be ``None`` by default is left out if so."""
    if cls is Stats or not dataclasses.is_dataclass(cls):
        return {}
    spell = str if cls in chat.AS_SPELT else camel
    return {
        field.name: override(
            rename=field.metadata.get("wire", spell(field.name)),
            omit_if_default=field.default is None,
        )
        for field in dataclasses.fields(cls)
    }


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


# Types of lsprotocol that our params hold; its own hooks would coerce what is wrong in them.
_OBJECTS: tuple[type, ...] = (Position, Range, OptionalVersionedTextDocumentIdentifier)

_STRICT: dict[type, Callable[[Any, Any], Any]] = {
    str: _strict(str, "a string"),
    bool: _strict(bool, "true or false"),
    int: _strict(int, "an integer"),
    float: _strict(float, "a number"),
}


def _token(value: Any, _: Any) -> methods.EditToken:
    if type(value) not in (str, int):
        raise TypeError("expected a string or an integer")
    return cast("methods.EditToken", value)


def _hunk_ids(value: Any, _: Any) -> methods.HunkIds:
    if value == "all":
        return "all"
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise TypeError('expected "all" or an array of integers')
    return tuple(value)


def _text_or(converter: Converter, value: Any, many: Any, of: str) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"expected a string or an array of {of}")
    return converter.structure(value, many)


def _tuple(converter: Converter, value: Any, cls: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError("expected an array")
    items, problems = [], []
    for index, item in enumerate(value):
        try:
            items.append(converter.structure(item, cls.__args__[0]))
        except Exception as error:  # noqa: BLE001  all that is wrong is told at once
            error.add_note(IterableValidationNote(f"item {index}", index, cls.__args__[0]))
            problems.append(error)
    if problems:
        raise IterableValidationError("items are wrong", problems, cls)
    return tuple(items)


def _format(error: BaseException, _: type | None) -> str:
    if isinstance(error, KeyError):
        return "a required field is missing"
    return str(error).partition("\n")[0]


def _problem(text: str, spell: Callable[[str], str]) -> str:
    """``expected a string @ params.edit_token`` with the field's name as the client spelt it."""
    what, at, path = text.rpartition(" @ ")
    return what + at + ".".join(spell(name) for name in path.split("."))
