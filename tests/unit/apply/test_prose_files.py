"""Answers for files of prose and for lists: fences around them, fences within them, and the chat around both."""

import pytest

from editd.apply import Merged, merge

README = """\
# Tool

Install:

```bash
pip install tool
```

Use:

```python
tool.run()
```

## Licence

MIT
"""
FAST = README.replace("run()", "run(fast=True)")
PLAIN = README.replace("```bash", "```").replace("```python", "```")
MAIL = "Dear all,\n\nthe meeting is on Monday.\n\nPlease bring your notes.\n\nBest,\nA\n"
TUESDAY = MAIL.replace("Monday", "Tuesday")
SHORT = "# Tool\n\nRuns tools.\n\n## Licence\n\nMIT\n"
REQUIREMENTS = "django==4.2\nrequests==2.31.0\n# tools\nnumpy==1.26\n"
SECTION = "Use:\n\n```python\ntool.run(fast=True)\n```\n"


def check(text: str, paste: str, path: str, new: str | None) -> None:
    """That the likeliest reading is the text, without a fence of the answer; ``None`` for no reading."""
    result = merge(text, paste, path=path)
    if isinstance(result, Merged):
        assert result.text == new
    else:
        assert (result.reading and result.reading.merged.text) == new


@pytest.mark.parametrize(
    ("text", "paste", "new"),
    [
        (README, f"```markdown\n{FAST}```\n", FAST),
        (README, f"Here is the updated README:\n\n```md\n{FAST}```\n\nI made it fast.\n", FAST),
        (README, f"````markdown\n{FAST}````\n", FAST),
        (README, f"~~~markdown\n{FAST}~~~\n", FAST),
        (README, f"Sure! Replace *Use*:\n\n```markdown\n{SECTION}```\n\nBye!\n", FAST),
        (README, f"```markdown\n{SECTION}```\n\nThen run it:\n\n```bash\ntool\n```\n", FAST),
        # without words after the fences within
        (PLAIN, f"```markdown\n{PLAIN.replace('MIT', 'BSD')}```\n", PLAIN.replace("MIT", "BSD")),
        # without a word after the fence around
        (SHORT, f"```\n{SHORT.replace('MIT', 'BSD')}```\n", SHORT.replace("MIT", "BSD")),
        # no end
        (README, f"```markdown\n{FAST}", FAST),
        # the file's own text, not an answer around it
        (README, FAST, FAST),
        (README, SECTION, FAST),
    ],
)
def test_markdown_within_a_fence_keeps_its_own_fences(text: str, paste: str, new: str) -> None:
    check(text, paste, "README.md", new)


@pytest.mark.parametrize("info", ["", "text", "txt", "plaintext", "rst", "tex"])
@pytest.mark.parametrize("path", ["mail.txt", "mail.rst", "mail.tex"])
def test_a_fence_around_prose_is_the_answers(path: str, info: str) -> None:
    own = {"mail.txt": "txt", "mail.rst": "rst", "mail.tex": "tex"}[path]
    if info in ("rst", "tex") and info != own:
        return
    check(MAIL, f"Here is the text:\n\n```{info}\n{TUESDAY}```\n", path, TUESDAY)


@pytest.mark.parametrize(
    ("path", "text", "paste", "new"),
    [
        (
            "requirements.txt",
            REQUIREMENTS,
            "Pin it in `requirements.txt`:\n\n```txt\nrequests==2.32.3\n```\n\nThen:\n\n```bash\npip install -r requirements.txt\n```\n",
            REQUIREMENTS.replace("2.31.0", "2.32.3"),
        ),
        (
            "requirements.txt",
            REQUIREMENTS,
            "Add to `requirements.txt`:\n\n```\npandas==2.2\n```\n",
            f"{REQUIREMENTS}pandas==2.2\n",
        ),
        (
            ".gitignore",
            "*.pyc\nbuild/\n",
            "Add these to your `.gitignore`:\n\n```gitignore\ndist/\n.venv/\n```\n",
            "*.pyc\nbuild/\ndist/\n.venv/\n",
        ),
        (".env", "A=1\nB=2\n", "Append:\n```\nC=3\n```\n", "A=1\nB=2\nC=3\n"),
        # nothing says where a line of prose goes
        ("mail.txt", MAIL, "Add this:\n\n```\nSee you there.\n```\n", None),
        # nothing says that it is an addition
        (".gitignore", "*.pyc\nbuild/\n", "```\ndist/\n```\n", None),
    ],
)
def test_new_entries_of_a_list_go_to_its_end(path: str, text: str, paste: str, new: str) -> None:
    check(text, paste, path, new)
