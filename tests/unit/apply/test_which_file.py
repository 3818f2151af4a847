"""Which parts of an answer are for a file: those below its name, in every form; another file's part never lands in it."""

from random import Random

import pytest

from editd.apply import Merged, merge
from editd.apply.paste.file_names import closeness, is_same, listed_names, named_in
from editd.apply.resolve import merge_request
from editd.messages import EditRequest, EditResult

FILE = """\
export const RATE = 1;
export const MODE = 'x';
export const DEBUG = true;

export function total(a: number) {
  return a * RATE;
}
"""
PATH, OTHER = "web/app/cart.ts", "mob/app/cart.ts"
OWN = "export const MODE = 'x';", "export const MODE = 'y';"
ELSE = "export const DEBUG = true;", "export const DEBUG = false;"
AFTER = FILE.replace(*OWN)


def between_signs(old, new):
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


FORMS = {
    "signs": between_signs,
    "signs in a fence": lambda old, new: f"```ts\n{between_signs(old, new)}```\n",
    "Cline": lambda old, new: f"<diff>\n------- SEARCH\n{old}\n=======\n{new}\n+++++++ REPLACE\n</diff>\n",
    "tags": lambda old, new: f"<old_str>\n{old}\n</old_str>\n<new_str>\n{new}\n</new_str>\n",
    "a hunk": lambda old, new: f"```diff\n@@ ... @@\n-{old}\n+{new}\n```\n",
    "a diff of signs": lambda old, new: f"```diff\n-{old}\n+{new}\n```\n",
    "the file": lambda old, new: f"```ts\n{FILE.replace(old, new)}```\n",
}  # fmt: skip
NAMES = [
    # alone on a line
    *("{}\n", "{}\n\n", "`{}`\n\n", "**{}**\n\n", "### {}\n\n", "#### `{}` (modified)\n\n", "{}:\n", "1. `{}`\n\n"),
    *("2. **{}** – raise it\n\n", "- `{}`:\n", "> {}\n\n", "=== {} ===\n", "[{}]({})\n\n", "📄 `{}`\n", "@{}\n", "./{}\n"),
    *("{} (lines 1-3):\n", "`{}` line 3:\n", "# {}\n", "// {}\n", "<!-- {} -->\n", "[file: {}]\n", "--- {} ---\n"),
    # with a label or a tag
    *("File: {}\n", "**File:** `{}`\n\n", "filename: {}\n", "path={}\n", "### Modified: `{}`\n\n", "File 2 of 3: {}\n"),
    *("<path>{}</path>\n", '<file name="{}">\n', "<edit path={}>\n", "<details>\n<summary>{}</summary>\n\n"),
    *("<file>\n  <path>{}</path>\n", '<parameter name="file_path">{}</parameter>\n', '"filePath": "{}",\n'),
    # in a sentence
    *("In `{}`:\n\n", "In {}, change this:\n\n", "Now update `{}`:\n\n", "Update `{}` as follows:\n", "Change `{}` like this:\n\n"),
    *("Open `{}` and replace the line:\n\n", "Add this to `{}`\n\n", "Next, the settings in `{}`:\n\nThey become:\n\n"),
    *("The change in `{}` is small. Replace the line with:\n\n", "### 2. Change `{}`\n\nThe mode is another one.\n\n"),
    *("Datei `{}`:\n\n", "Dans `{}`, remplacez :\n\n", "修改 `{}`：\n\n", "And for `{}`:\n", "`{}` becomes:\n\n"),
]  # fmt: skip


def check(paste, wanted, *, path=PATH, text=FILE, least="sure", **more):
    """wanted: the new text; ``None``: nothing is shown. least: how sure it is."""
    result = merge(text, paste, path=path, **more)
    if isinstance(result, Merged):
        kind, shown = "certain", result.text
    elif result.reading is None:
        kind, shown = "none", None
    else:
        kind = "sure" if result.reading.is_confident else "marked"
        shown = result.reading.merged.text
    assert shown == wanted, (kind, getattr(result, "reason", ""))
    kinds = ["marked", "sure", "certain"]
    assert wanted is None or kinds.index(kind) >= kinds.index(least)
    return result


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_a_part_is_for_the_file_that_is_named_last_above_it(name, form):
    check(name.replace("{}", PATH) + FORMS[form](*OWN), AFTER)
    result = check(name.replace("{}", OTHER) + FORMS[form](*OWN), None)
    assert result.reason == f"The paste is for {OTHER}, not for this file."
    assert result.final


@pytest.mark.parametrize("seed", range(300))
def test_of_two_files_each_gets_its_own(seed):
    draw = Random(seed)
    form = draw.choice([*FORMS.values()])
    parts = [
        draw.choice(NAMES).replace("{}", path) + form(*change)
        for path, change in ((PATH, OWN), (OTHER, ELSE))
    ]
    draw.shuffle(parts)
    result = check("Two files change.\n\n" + "\n".join(parts), AFTER)
    told = result.others if isinstance(result, Merged) else result.reading.merged.others
    assert told == (OTHER,)
    check("Two files change.\n\n" + "\n".join(parts), FILE.replace(*ELSE), path=OTHER)


FENCE = f"```ts\n{AFTER}```\n"
SEARCH, SECOND = between_signs(*OWN), between_signs(*ELSE)
BOTH = AFTER.replace(*ELSE)


@pytest.mark.parametrize(
    ("paste", "wanted", "least"),
    [
        # several parts under one name; names inside one fence
        (f"cart.ts\n{SEARCH}\n{SECOND}\nbag.ts\n{SECOND}", BOTH, "certain"),
        (f"```\ncart.ts\n{SEARCH}bag.ts\n{SECOND}```\n", AFTER, "certain"),
        # in the fence's own line, in the first line of code
        (f'```ts bag.ts\n{SECOND}```\n```ts title="app/cart.ts"\n{SEARCH}```\n', AFTER, "certain"),
        (f"```ts:{PATH}\n{AFTER}```\n", AFTER, "certain"),
        (f"```ts\n// {PATH}\n{AFTER}```\n", AFTER, "certain"),
        (f"```ts\n// {OTHER}\n{AFTER}```\n", None, ""),
        (f"```ts {{ file: '{OTHER}' }}\n{AFTER}```\n", None, ""),
        (f'```ts title="After the change"\n{AFTER}```\n', AFTER, "certain"),
        # tags that hold whole files
        (f'<file path="bag.ts">\n{FILE}</file>\n<file path="{PATH}">\n{AFTER}</file>\n', AFTER, "certain"),
        (f'<dyad-write path="{OTHER}" description="x">\n{AFTER}</dyad-write>\n', None, ""),
        (f'<boltAction type="file" filePath="{PATH}">\n{AFTER}</boltAction>\n', AFTER, "certain"),
        (f'<file path="{PATH}"><![CDATA[\n{AFTER}]]></file>\n', AFTER, "certain"),
        (f"<write_to_file>\n<path>{OTHER}</path>\n<content>\n{AFTER}</content>\n</write_to_file>\n", None, ""),
        (f"<write_to_file>\n<path>{PATH}</path>\n<content>\n{AFTER}</content>\n</write_to_file>\n", AFTER, "certain"),
        # calls of tools
        (('[{"path": "bag.ts", "old_string": "true", "new_string": "false"}, '
          '{"path": "cart.ts", "old_string": "\'x\'", "new_string": "\'y\'"}]'), AFTER, "certain"),
        # without a fence
        (f"cart.ts\n\n{AFTER}", AFTER, "certain"),
        (f"// {OTHER}\n{AFTER}", None, ""),
        (f"Here is the new content of `bag.ts`:\n\n{AFTER}", None, ""),
        (f"### bag.ts\n{FILE}\n### cart.ts\n{AFTER}", AFTER, "certain"),
        # blocks, hunks and code in one answer
        (f"bag.ts\n{SECOND}\ncart.ts\n{FENCE}", AFTER, "certain"),
        (f"bag.ts:\n```diff\n@@ @@\n-{ELSE[0]}\n+{ELSE[1]}\n```\ncart.ts:\n{SEARCH}", AFTER, "certain"),
        (f"```diff\n--- a/bag.ts\n+++ b/bag.ts\n@@ -3 +3 @@\n-{ELSE[0]}\n+{ELSE[1]}\n```\n**cart.ts**\n{FENCE}",
         AFTER, "certain"),
        # what names no file among those that do is in doubt, unless a sentence names the other one
        (f"{SEARCH}\n### bag.ts\n\n{SECOND}", AFTER, "marked"),
        (f"{FENCE}\n**bag.ts**\n```ts\nexport const A = 1;\n```\n", AFTER, "marked"),
        (f"{FENCE}\nand declare it in `cart.d.ts`:\n\n```ts\nexport const MODE: string;\n```\n", AFTER, "certain"),
        (f"Changed:\n\n- `cart.ts`\n- `bag.ts`\n\n{SEARCH}", AFTER, "marked"),
        # what is mentioned only
        (f"As in `bag.ts`, use another mode:\n\n{FENCE}", AFTER, "certain"),
        (f"`bag.ts` has it already.\n\n{FENCE}", AFTER, "certain"),
        (f"Here's the new mode (see `bag.ts`):\n\n{FENCE}", AFTER, "certain"),
        (f"{FENCE}\nThen run `node build.js`.\n\n```bash\nnode build.js\n```\n", AFTER, "certain"),
        (f"Node.js needs this:\n\n{FENCE}", AFTER, "certain"),
        (f"Replace `response.text` with `response.json`:\n\n{FENCE}", AFTER, "certain"),
    ],
)  # fmt: skip
def test_names_in_every_place(paste, wanted, least):
    check(paste, wanted, least=least or "sure")


@pytest.mark.parametrize(
    ("path", "name", "wanted"),
    [
        ("Makefile", "Makefile", True),
        ("Makefile", "sub/Dockerfile", False),
        (".env", ".env", True),
        (".env", ".env.local", False),
        ("pkg/__init__.py", "pkg/__init__.py", True),
        ("pkg/__init__.py", "lib/__init__.py", False),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/[slug]/page.tsx", False),
        ("my file.txt", "my file.txt", True),
        ("my file.txt", "other file.txt", False),
        ("src/cart.rs", "C:\\proj\\src\\cart.rs", True),
        ("src/cart.rs", "/home/me/proj/src/cart.rs", True),
        ("src/cart.rs", "/home/me/proj/lib/cart.rs", False),
        ("LICENSE", "`LICENSE`", True),
        ("conf/LICENSE", "README.md", False),
    ],
)
def test_all_kinds_of_names(path, name, wanted):
    paste = f"{name}\n<<<<<<< SEARCH\nb c\n=======\nd e\n>>>>>>> REPLACE\n"
    check(paste, "a\nd e\n" if wanted else None, path=path, text="a\nb c\n")


def test_a_file_of_prose_takes_what_is_for_it():
    text = "# Tool\n\nUse it.\n\n## Licence\n\nMIT\n"
    new = text.replace("Use it.", "Use it well.")
    code = "### src/a.py\n\n```python\nx = 1\n```\n"
    check(f"### README.md\n\n```markdown\n{new}```\n\n{code}", new, path="README.md", text=text)
    block = between_signs("Use it.", "Use it well.")
    check(f"docs/README.md\n{block}", None, path="pkg/README.md", text=text)


@pytest.mark.parametrize(
    ("name", "path", "file", "least"),
    [
        ("src/b/utils.py", "src/a/utils.py", "", None),
        ("src/b/utils.py", "utils.py", "/proj/src/a/utils.py", None),
        ("src/b/utils.py", "utils.py", "/proj/src/b/utils.py", "certain"),
        ("packages/web/package.json", "package.json", "/proj/package.json", None),
        (
            "proj/utils.py",
            "utils.py",
            "/checkout/utils.py",
            "marked",
        ),  # the project, or a folder in it
        ("utils.py", "src/a/utils.py", "/proj/src/a/utils.py", "certain"),
        ("/repo/src/utils.py", "src/utils.py", "/proj/src/utils.py", "certain"),
    ],
)
def test_where_a_file_lies_decides(name, path, file, least):
    paste = f"{name}\n{between_signs('b c', 'd e')}"
    wanted = None if least is None else "a\nd e\n"
    check(paste, wanted, path=path, file=file, text="a\nb c\n", least=least or "sure")


@pytest.mark.parametrize(
    ("name", "path", "beside", "least"),
    [
        ("__init__.py", "a/__init__.py", "b/__init__.py", "marked"),
        ("b/__init__.py", "a/__init__.py", "b/__init__.py", None),
        ("src/a.py", "a.py", "src/a.py", None),
        ("a.py", "a.py", "src/a.py", "certain"),
        ("a.py", "src/a.py", "a.py", None),
    ],
)
def test_a_name_of_two_files_that_get_one_answer_is_in_doubt(name, path, beside, least):
    paste = f"{name}\n{between_signs('b c', 'd e')}"
    wanted = None if least is None else "a\nd e\n"
    check(paste, wanted, path=path, beside=(beside,), text="a\nb c\n", least=least or "sure")


def test_two_names_that_both_end_in_the_path_are_in_doubt():
    paste = f"src/a.py\n{between_signs('b c', 'd e')}\nlib/a.py\n{between_signs('a', 'f g')}"
    check(paste, "f g\nd e\n", path="a.py", text="a\nb c\n", least="marked")
    exact = paste.replace("lib/a.py", "a.py")
    check(exact, "f g\nb c\n", path="a.py", text="a\nb c\n", least="certain")


def test_without_a_path_only_one_file_may_be_named():
    check(f"cart.ts\n{SEARCH}", AFTER, path="")
    result = check(f"cart.ts\n{SEARCH}\nbag.ts\n{SECOND}", None, path="")
    assert result.reason == "The paste changes cart.ts and bag.ts; paste the part for this file."
    check(f"**cart.ts**\n{FENCE}\n**bag.ts**\n{FENCE}", None, path="")


def test_what_else_the_answer_changes_is_said_once():
    paste = f"{PATH}\n{SEARCH}\nbag.ts\n{SECOND}\nbag.ts\n{SECOND}"

    def notices(**more):
        result = merge_request(EditRequest("1", FILE, "", path=PATH, sketch=paste, **more))
        assert isinstance(result, EditResult)
        assert result.text == AFTER
        return result.notices

    assert notices() == ("Only what is for this file was taken; the answer also changes bag.ts.",)
    assert notices(beside=("src/bag.ts",)) == ()


def test_paths_are_compared_part_by_part():
    assert is_same("b.py", "a/b.py")
    assert is_same("./a/b.py", "b.py")
    assert not is_same("ab.py", "b.py")
    assert not is_same("c/b.py", "a/b.py")
    assert closeness("a/b.py", "a/b.py") > closeness("b.py", "a/b.py") > closeness("c.py", "a/b.py")
    assert listed_names(["a", "b", "a"]) == "a and b"
    assert listed_names("abcdefg") == "a, b, c, d and 3 more"


@pytest.mark.parametrize(
    "line",
    [
        *("", "Use `os.path` here", "### `Cache.get`", "Change `console.log` calls:", "and/or:", "v1.2/x", "x" * 600 + ".py"),
        *("The caller in `main.rs` then becomes shorter.", "Make sure to import it from `../constants/index.ts`:"),
        *("Don't forget to rename the calls in `server.rs` and `cmd/subscribe.rs` too.", "https://example.org/a.html"),
        *("Then run `build.js`:", "It is defined in `a.h`:", "This is not needed in `b.c`:"),
    ],
)  # fmt: skip
def test_lines_that_name_no_file_to_change(line):
    assert named_in(line, 0, "src/cart.py") is None
