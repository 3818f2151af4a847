"""JSON values to typed params and back, strictly: a wrong value is refused by name.

One cattrs converter serves standard LSP types (as lsprotocol registers them) and our own
dataclasses (camelCase, unknown fields ignored as LSP asks, nothing coerced:
``"3"`` is not a number).
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, cast

from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override
from lsprotocol.converters import get_converter
from lsprotocol.types import OptionalVersionedTextDocumentIdentifier, Position, Range

from editd.doors.lsp import methods
from editd.files import strict_json
from editd.files.strict_json import as_object, make_strict, object_hook
from editd.messages import Stats


@functools.cache
def make_converter() -> Converter:
    """The converter, which is costly to make and holds no state."""
    converter = make_strict(get_converter(), _renames)
    for cls in _OBJECTS:
        converter.register_structure_hook(cls, object_hook(converter, cls, {}))
    converter.register_structure_hook(methods.EditToken, _token)
    converter.register_structure_hook(
        str | int | None, lambda value, _: None if value is None else _token(value, int)
    )
    converter.register_structure_hook(methods.HunkIds, _hunk_ids)
    converter.register_structure_hook_func(
        lambda cls: cls == dict[str, Any], lambda value, _: dict(as_object(value))
    )
    converter.register_unstructure_hook_factory(
        dataclasses.is_dataclass,
        lambda cls: make_dict_unstructure_fn(cls, converter, **_renames(cls)),
    )
    return converter


def describe(error: Exception) -> str:
    """What is wrong with params that could not be structured, for the client's developer."""
    return strict_json.describe(error, "params", camel)


def camel(name: str) -> str:
    """``edit_token`` → ``editToken``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _renames(cls: type) -> dict[str, Any]:
    """Each field's name on the wire; a field that may be ``None`` by default is left out if so."""
    if cls is Stats:
        return {}
    return {
        field.name: override(
            rename=field.metadata.get("wire", camel(field.name)),
            omit_if_default=field.default is None,
        )
        for field in dataclasses.fields(cls)
    }


# Types of lsprotocol that our params hold; its own hooks would coerce what is wrong in them.
_OBJECTS: tuple[type, ...] = (Position, Range, OptionalVersionedTextDocumentIdentifier)


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
