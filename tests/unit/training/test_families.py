"""What each family makes of a text: a table of whole edits, then properties of many."""

import ast
import itertools
import re
from random import Random

import pytest

from tests.unit.training.samples import PYTHON, TYPESCRIPT, sources, whole
from training.families import GENERATORS, Source, cropped


def made(family, source, wanted, tries=8000):
    """The first edit of ``family`` whose instruction says ``wanted``."""
    for seed in range(tries):
        edit = GENERATORS[family].propose(source, Random(seed))
        if edit and re.search(wanted, edit.instruction, re.IGNORECASE):
            return edit
    raise AssertionError(f"no edit of {family} says {wanted}")


def lines_changed(edit):
    before, after = edit.before.split("\n"), edit.after.split("\n")
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    return gone, come


@pytest.mark.parametrize(
    ("family", "wanted", "gone", "come"),
    [
        (
            "add-docstring",
            r"docstring (to|for) load_stock\.?$",
            [],
            ['    """Load stock."""'],
        ),
        (
            "add-logging",
            r"^log calls to load_stock",
            [],
            ['    logging.debug("load_stock called")'],
        ),
        ("add-logging", r"logging.info at .*\badd\b", [], ['        logging.info("add called")']),
        ("add-import", r"import re$", [], ["import re"]),
        (
            "delete-comments",
            "",
            ["LIMIT = 10  # pieces", "    # one item a line"],
            ["LIMIT = 10"],
        ),
        (
            "f-strings",
            "",
            ['    return "%s: %s items" % (path, len(lines))'],
            ['    return f"{path}: {len(lines)} items"'],
        ),
        (
            "add-type-hint",
            r"^(?=.*\bcount\b)(?=.*\bint\b(?! ?\|))",
            ["    def add(self, name, count=1):"],
            ["    def add(self, name, count: int = 1):"],
        ),
        (
            "wrap-try",
            r"catch KeyError in add\b.* return None",
            [
                '        print("adding", name)',
                "        self.items[name] = self.items.get(name, 0) + count",
                "        return self.items[name]",
            ],
            [
                "        try:",
                '            print("adding", name)',
                "            self.items[name] = self.items.get(name, 0) + count",
                "            return self.items[name]",
                "        except KeyError:",
                "            return None",
            ],
        ),
    ],
)
def test_the_answer_is_this_one(family, wanted, gone, come):
    assert lines_changed(made(family, whole(), wanted)) == (gone, come)


def test_a_rename_leaves_longer_names_alone():
    edit = made("rename", Source("stock = 1\nstocks = stock  # stock\n"), "^rename stock to")
    new = re.search(r"to (\w+)", edit.instruction)[1]
    assert edit.after == f"{new} = 1\nstocks = {new}  # {new}\n"


def test_imports_go_before_the_first_one_and_after_the_docstring():
    assert made("add-import", whole(), r"import re$").after.startswith(
        '"""Stock of a shop."""\nimport re\nimport os\n'
    )
    bare = made("add-import", Source('"""Doc."""\n\nx = 1\n'), r"import re$")
    assert bare.after == '"""Doc."""\nimport re\n\nx = 1\n'


def test_a_deleted_method_takes_its_decorators_and_blank_lines_along():
    text = "class A:\n    @property\n    def old(self):\n        return 1\n\n    def new(self):\n        return 2\n"
    edit = made("delete-function", Source(text), r"\bold\b")
    assert edit.after == "class A:\n    def new(self):\n        return 2\n"


@pytest.mark.parametrize(
    ("text", "wanted", "after"),
    [
        ("def a():\n    x()\n\n\ndef b():\n    y()\n", "b", "def a():\n    x()\n"),
        ("def a():\n    x()\n\n\ndef b():\n    y()\n", "a", "def b():\n    y()\n"),
        ("class A:\n    def a(self):\n        x()\n\n    def b(self):\n        y()\n\n\nz()\n", "b", "class A:\n    def a(self):\n        x()\n\n\nz()\n"),
    ],
)  # fmt: skip
def test_what_surrounds_a_deleted_definition_keeps_the_larger_gap(text, wanted, after):
    assert made("delete-function", Source(text), rf"\b{wanted}\b['\"`]?\W*$").after == after


def test_the_last_method_is_not_deleted():
    source = Source("class A:\n    def only(self):\n        return 1\n\n\nx = A()\n")
    edits = [GENERATORS["delete-function"].propose(source, Random(seed)) for seed in range(50)]
    assert {edit.after for edit in edits if edit} == {"x = A()\n"}


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (
            "delete-comments",
            TYPESCRIPT.replace("// Stock of a shop.\n", "").replace(" // loud", ""),
        ),
        ("delete-prints", TYPESCRIPT.replace('  console.log("adding", name); // loud\n', "")),
    ],
)
def test_other_languages_know_comments_and_prints(family, text):
    source = Source(
        TYPESCRIPT.replace(" // loud", "") if "prints" in family else TYPESCRIPT, "a.ts"
    )
    assert made(family, source, "").after == text


@pytest.mark.parametrize(
    ("path", "text", "wanted", "after"),
    [
        ("a.go", "a := 1\nlog(a)\nb := 2\nc := 3\nd := 4\n", r"\blog\b", "a := 1\nb := 2\nc := 3\nd := 4\n"),
        ("a.py", "import os\nx = os.sep\ny = 1\nz = 2\nw = 3\nv = 4\n", r"[`'\"]os[`'\"]", "y = 1\nz = 2\nw = 3\nv = 4\n"),
    ],
)  # fmt: skip
def test_lines_that_contain_a_word_go_whole(path, text, wanted, after):
    assert made("delete-lines", Source(text, path), wanted).after == after


def test_nobody_is_asked_for_lines_with_a_word_that_is_also_part_of_another():
    source = Source("int logs;\nlog();\nx();\ny();\n", "a.c")
    edits = [GENERATORS["delete-lines"].propose(source, Random(seed)) for seed in range(200)]
    assert {edit.after for edit in edits if edit and "log" in edit.instruction} == {
        "log();\nx();\ny();\n"
    }


def test_signs_of_comments_in_strings_stay():
    source = Source("url = \"http://x\"; // gone\nconst c = '#a';\n", "a.js")
    assert made("delete-comments", source, "").after == "url = \"http://x\";\nconst c = '#a';\n"


def test_an_indented_method_is_edited_as_it_stands():
    source = Source("    def f(self, x):\n        return x\n")
    edit = made("add-docstring", source, "docstring to f$")
    assert edit.after == '    def f(self, x):\n        """F."""\n        return x\n'


def test_columns_count_characters_not_bytes():
    source = Source('def f(x="größe", y=2): return y\n')
    edit = made("add-type-hint", source, r"\by\W+(of|in)\W+f\W+as int$")
    assert edit.after == 'def f(x="größe", y: int = 2): return y\n'


@pytest.mark.parametrize("family", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize("held_out", [False, True])
def test_every_edit_is_what_it_says(family, held_out):
    languages = family.languages or ("python", "typescript", "go", "rust", "c", "toml")
    edits = 0
    for language in sorted(languages):
        for seed, source in enumerate(sources(25, language)):
            edit = family.propose(source, Random(seed), held_out=held_out)
            if edit is None:
                continue
            edits += 1
            assert edit == family.propose(source, Random(seed), held_out=held_out)
            assert (edit.before == edit.after) is (family.name == "no-change")
            if language == "python":
                ast.parse("if 1:\n" * (edit.after[0] == " ") + edit.after)
            assert all(0 <= start <= end <= len(edit.after) for start, end in edit.changed)
            # Outside of what changed, nothing was made up.
            kept, position = [], 0
            for start, end in edit.changed:
                kept.append(edit.after[position:start])
                position = end
            rest = iter([*kept, edit.after[position:]])
            place = 0
            for piece in rest:
                place = edit.before.index(piece, place) + len(piece)
    assert edits >= 5


@pytest.mark.parametrize("family", GENERATORS)
def test_a_cropped_edit_is_a_part_of_the_whole_one(family):
    shorter = 0
    for seed, source in enumerate(sources(60, seed=2)):
        edit = GENERATORS[family].propose(source, Random(seed))
        if edit is None:
            continue
        crop = cropped(edit, Random(seed))
        assert crop.instruction == edit.instruction
        assert "\n" + crop.before in "\n" + edit.before
        assert "\n" + crop.after in "\n" + edit.after
        assert (crop.before == crop.after) == (edit.before == edit.after)
        texts = [edit.after[slice(*span)] for span in edit.changed]
        kept = [crop.after[slice(*span)] for span in crop.changed]
        assert " ".join(kept) in " ".join(texts)
        # Which of some blank lines was deleted is a matter of taste, so the place may be beyond the crop.
        assert bool(kept) == (crop.before != crop.after) or family.startswith("delete")
        shorter += len(crop.before) < len(edit.before)
    assert shorter > 5 or family in ("no-change", "f-strings")


def wordings(template):
    """All that its choices, ``[this|that]``, can make of it."""
    parts = re.split(r"\[([^][]*)\]", template)
    choices = [part.split("|") if odd % 2 else [part] for odd, part in enumerate(parts)]
    return {"".join(chosen) for chosen in itertools.product(*choices)}


def test_held_out_phrasings_are_not_trained():
    for family in GENERATORS.values():
        for phrasings in family.phrasings:
            trained = {told for one in phrasings.training for told in wordings(one)}
            held_out = {told for one in phrasings.held_out for told in wordings(one)}
            assert held_out
            assert not trained & held_out


def test_names_in_an_instruction_stand_in_the_text_unless_nothing_is_to_change():
    for seed in range(200):
        edit = GENERATORS["rename"].propose(whole(), Random(seed))
        if edit:
            words = set(re.findall(r"\w+", edit.instruction))
            assert words & set(re.findall(r"\w+", PYTHON))
            assert words & set(re.findall(r"\w+", edit.after)) - set(re.findall(r"\w+", PYTHON))
