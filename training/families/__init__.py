"""The edits that the embedded model is taught, one short file each, found by name.

A family proposes edits of a source text with the only right answer, worded as people word them. It
serves the training and the evaluation (phrasings that no training example has). The rule that says
whether an instruction is one of them is part of the product (``editd.embedded``).
"""

from training.families import (
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
from training.families.edit import Edit, Generator, Span, cropped
from training.families.source import Source

GENERATORS: dict[str, Generator] = {
    module.GENERATOR.name: module.GENERATOR
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
__all__ = ["GENERATORS", "Edit", "Generator", "Source", "Span", "cropped"]
