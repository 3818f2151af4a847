"""Add a type hint: how people ask for the type of a parameter or a result."""

from __future__ import annotations

from editd.intent.intents import AddTypeHint, Intent, Open
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION
from editd.intent.rules.word_lists import TYPES_IN_ENGLISH

_PARAMETER = f"(the|this)? KIND? PARAMETERNAME KIND? ((of|in) {FUNCTION})?"
_NO_TYPES = {"number", "array", "text", "optional"}


def _annotated(slots: Slots) -> Intent:
    """The intent ``AddTypeHint``, the type in Python's words ("integer" as ``int``), the parameter empty for the
    result's type; ``Open`` (a model has to do it) where no function is named or the type is none in Python. slots: the
    texts that the request gives, by role.
    """
    if "name" not in slots or slots["type"].lower() in _NO_TYPES:
        return Open()
    hint = TYPES_IN_ENGLISH.get(slots["type"].lower(), slots["type"])
    return AddTypeHint(slots["name"].removesuffix("()"), hint, slots.get("parameter", ""))


ADD_RETURN_TYPE = Rule(
    "add-type-hint",
    canonical=(
        "ADD (a|the)? return (type|annotation) (hint)? TYPE (to|on|for) KIND? NAME",
        "annotate the return (value|type) of KIND? NAME as TYPE",
        "set the return type of KIND? NAME to TYPE",
        "(let)? the return type of KIND? NAME (should|must)? be TYPE",
        "ADD -> TYPE to KIND? NAME",
        "annotate KIND? NAME as returning TYPE",
        "KIND? NAME returns TYPE, add the (type hint|annotation)",
        "KIND? NAME should return TYPE, annotate it",
        "declare that KIND? NAME returns TYPE",
        "give KIND? NAME the return type TYPE",
        "(the)? return type of KIND? NAME is TYPE, annotate it",
    ),
    paraphrases=(
        f"declare (the)? return type of {FUNCTION} (as|to be) (an?)? TYPE",
        f"(specify|say|declare|annotate|state) (that)? {FUNCTION} (returns|as returning|to return|with return type) (an?)? TYPE",
        f"{FUNCTION} (returns|should return|must return) (an?)? TYPE, (so)? (annotate (it|that)|ADD HINT|ADD (a|the)? return (type|annotation) (hint)?|say so) (in LEAD)?",
        f"{FUNCTION} MODAL (have|get) (a|the)? return (type|annotation) (of)? TYPE",
        f"annotate (the return (type|value) of)? {FUNCTION} with (the)? TYPE (as|for) (its|the)? return type",
        f"(give|ADD) {FUNCTION} (a|the)? return (annotation|type|hint) (of)? TYPE",
        f"ADD (the|a)? return (type|annotation|type hint) (of)? TYPE (to|on|for) {FUNCTION}",
        f"(the)? return (type|value) of {FUNCTION} (is|should be|must be) (annotated (as|with))? (an?)? TYPE, ((ADD|annotate) it)?",
    ),
    intent=_annotated,
    name_slots=("parameter", "name"),
    is_of_one=True,
    examples=(
        ("f should return str, annotate it", AddTypeHint("f", "str")),
        ("let the return type of f be dict[str, int]", AddTypeHint("f", "dict[str, int]")),
    ),
    near_misses=(
        "fetch should return an int",
        "make fetch return a dict",
        "fetch -> int",
        "annotate the return type of fetch",
        "fetch returns a list of strings, add the type hint",
    ),
)
"""The type of a function's result."""
ADD_PARAMETER_TYPE = Rule(
    "add-type-hint",
    canonical=(
        "(ADD|give) (a|the)? (type (hint|annotation)?|annotation|hint) TYPE (to|on|for) KIND? PARAMETERNAME (of|in) KIND? NAME",
        "(ADD|give) (an?|the)? annotation PARAMETERNAME : TYPE to KIND? NAME",
        "(annotate|type|hint|declare) KIND? PARAMETERNAME (of|in) KIND? NAME as TYPE",
        "(annotate|type|hint|declare) KIND? PARAMETERNAME as TYPE (of|in) KIND? NAME",
        "KIND? PARAMETERNAME in KIND? NAME is TYPE, add the (type hint|annotation)",
        "give KIND? PARAMETERNAME (of|in) KIND? NAME the type (hint)? TYPE",
        "KIND? PARAMETERNAME (of|in) KIND? NAME (should|must) (be|be annotated as|have the type) TYPE",
        "in KIND? NAME, annotate KIND? PARAMETERNAME as TYPE",
        "in KIND? NAME, KIND? PARAMETERNAME is of type TYPE : say so",
        "let KIND? PARAMETERNAME (of|in) KIND? NAME have the type TYPE",
        "(the)? type of KIND? PARAMETERNAME (in KIND? NAME)? is TYPE, annotate it",
    ),
    paraphrases=(
        f"(annotate|type|hint|declare|mark) {_PARAMETER} (as|with|to be) (an?)? (type)? TYPE",
        f"{_PARAMETER} (should|must|has to) be (annotated|typed|declared|hinted) (as|with) (an?)? (type)? TYPE",
        f"{_PARAMETER} (is|should be|must be) (always)? (of type|an?)? TYPE, (so)? (annotate (it|that)|ADD HINT|say so|declare it|type it) (in LEAD)?",
        f"(ADD)? (HINT|the type) (of)? TYPE (to|on|for) {_PARAMETER}",
        f"in {FUNCTION}, (the)? KIND? PARAMETERNAME KIND? (is|should be|must be) (always)? (of type|an?)? TYPE, (so)? (annotate (it|that)|ADD HINT|say so)",
        f"(give|let) {_PARAMETER} (have)? (the|an?) (type|TYPE HINT) TYPE",
    ),
    intent=_annotated,
    name_slots=("parameter", "name"),
    is_of_one=True,
    examples=(
        ("in load, annotate size as dict[str, int]", AddTypeHint("load", "dict[str, int]", "size")),
        ("annotate x of f as Optional[A]", AddTypeHint("f", "Optional[A]", "x")),
    ),
    near_misses=(
        "annotate x of f as an array",
        "annotate x as int",
    ),
)
"""The type of a parameter."""
