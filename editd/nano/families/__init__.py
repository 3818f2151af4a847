"""The edits that the embedded model is taught, one short file each, found by name.

A family proposes edits of a source text with the only right answer, worded as people word them. It
serves the training, the evaluation (phrasings that no training example has) and the rule that says
whether an instruction is one of them (``recognise``).
"""

from editd.nano.families import (
    add_docstring,
    add_import,
    add_logging,
    add_type_hint,
    delete_comments,
    delete_function,
    delete_lines,
    delete_prints,
    f_strings,
    no_change,
    rename,
    replace_number,
    replace_string,
    wrap_try,
)
from editd.nano.families.edit import Edit, Family, Span
from editd.nano.families.source import Source

FAMILIES: dict[str, Family] = {
    module.FAMILY.name: module.FAMILY
    for module in (
        rename,
        replace_string,
        replace_number,
        delete_comments,
        delete_prints,
        delete_lines,
        delete_function,
        add_import,
        add_docstring,
        add_type_hint,
        add_logging,
        wrap_try,
        f_strings,
        no_change,
    )
}
"""In the order in which ``recognise`` asks them: the more particular first."""

__all__ = ["FAMILIES", "Edit", "Family", "Source", "Span"]
