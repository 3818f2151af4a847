"""Known answers in random thoughts, fences, quotations and cut ends: the answer, a refusal or a suspect.

Never a silent change to another text, in any language that editd names, however the answer is cut into pieces. A
failing seed is a test case by itself: ``check_seed(seed)``.
"""

import random
import re
from collections import Counter

import pytest

from editd.prompts.control_words import _ANSWERS, _BEGINNINGS, _ENDS, _all_thought_pairs
from editd.syntax.language import MARKDOWN, extension_of, language_names
from tests.written_answer import edited

# A line of each language in which ``a`` is a number; {i} makes names of their own, {n} is the number.
LINES = {
    "python": "a{i} = {n}",
    "yaml": "a{i}: {n}",
    "css scss less": ".a{i} {{ order: {n}; }}",
    "bash zsh fish ini toml makefile just go.mod": "A{i}={n}",
    "markdown mdx quarto rmarkdown text rst latex": "The value of a{i} is {n}",
    "html xml vue svelte": "<li>a{i} is {n}</li>",
    "jsx tsx": "const a{i} = <b>{n}</b>;",
    "json jsonc": '  "a{i}": {n},',
    "sql": "UPDATE t SET a{i} = {n};",
    "dockerfile": "ENV A{i}={n}",
    "rust": "const A{i}: i32 = {n};",
    "go": "const a{i} = {n}",
    "ruby": "a{i} = {n}",
    "diff": "+a{i} = {n}",
    "gitignore": "a{i}/{n}",
    "elisp clojure": "(def a{i} {n})",
}
FIRST = {
    "json": "{",
    "jsonc": "{",
    "php": "<?php",
    "markdown": "# Notes",
    "bash": "#!/bin/sh",
    "python": '"""Doc."""',
}
LAST = {"json": '  "z": 0\n}', "jsonc": '  "z": 0\n}'}
NAMES = {
    "dockerfile": "Dockerfile",
    "makefile": "Makefile",
    "just": "justfile",
    "gitignore": ".gitignore",
    "go.mod": "go.mod",
}
SENTENCES = [
    "Okay, the user wants a to be {n}.",
    "Let me look at the file first.",
    "The file has {count} lines.",
    "Wait, should b change, too? No.",
    "Hmm.",
    "用户希望把 a 改成 {n}。",
    "I have to be careful with the last line!",
    "So the answer is simple",
    "- first: find a\n- then: change it",
    "Line one is `a`, see `code`.",
]
BEGUN = [
    "Okay, the user wants a to be 777.\n",
    "We need to change a. ",
    "Let me think.\n",
    "Hmm, a.\n",
]
INTRODUCTIONS = [
    "Sure!",
    "Here is the updated file:",
    "Updated code:",
    "a.py",
    "**Result:**",
    "以下是修改后的文件：",
]
TALK = [
    "I changed a to {n}.",
    "Let me know if you need anything else!",
    "**Explanation**: the value is new.",
    "Done",
    "已完成。",
    "### What changed\n\n- a is {n} now",
]
USAGE = ["Usage:\n\n```bash\nrun it\n```\n", "For example:\n\n```\nx = 1\n```"]


def line_of(language, i, n):
    template = next(
        (line for names, line in LINES.items() if language in names.split()), "a{i} = {n};"
    )
    return template.format(i=i, n=n)


def random_text(rng, language):
    """A file, and the same one with one line changed."""
    count = rng.randrange(2, 12)
    old = [FIRST[language]] if language in FIRST else []
    start = len(old)
    for i in range(count):
        old.append(line_of(language, i, rng.randrange(1, 99)))
        if rng.random() < 0.2:
            old.append("")
    while not old[-1]:
        old.pop()
    old += [LAST[language]] if language in LAST else []
    if language in MARKDOWN and rng.random() < 0.5:
        old += [
            "",
            "Run it:",
            "",
            rng.choice(["```", "```bash", "~~~"]),
            "make all",
            "~~~" if "~" in old[-1] else "```",
        ]
        if old[-3].startswith("~"):
            old[-1] = "~~~"
        old += ["", "That is all."] if rng.random() < 0.5 else []
    places = [
        at for at, line in enumerate(old) if at >= start and line and any(map(str.isdigit, line))
    ]
    at = rng.choice(places)
    new = list(old)
    new[at] = (
        line_of(language, 77, 777) if rng.random() < 0.8 else re.sub(r"\d+(?!.*\d)", "777", old[at])
    )
    if rng.random() < 0.2:
        new.insert(at, line_of(language, 78, 778))
    end = "" if rng.random() < 0.1 else "\n"
    return "\n".join(old) + end, "\n".join(new) + end


def fenced(rng, text, language, *, info=None):
    """``text`` in a fence as models write one."""
    run = rng.choice(["```", "```", "```", "~~~", "````"])
    if any(line.startswith("```") for line in text.split("\n")) and rng.random() < 0.7:
        run = "````"
    words = [
        language,
        "",
        language.upper(),
        f"{language}:a.{language}",
        f'{language} title="a"',
        f" {language}",
    ]
    info = rng.choice(words) if info is None else info
    before, after = rng.choice(
        [("", ""), ("", ""), ("", ""), (" ", ""), ("\ufeff", ""), ("\u200b", ""), ("\n\n", "")]
    )
    body = text if text.endswith("\n") or rng.random() < 0.1 else text + "\n"
    return f"{before}{run}{info}\n{body}{after}{run}"


def sentences(rng, n):
    """Some sentences of a model that thinks, in paragraphs or not."""
    chosen = [
        rng.choice(SENTENCES).format(n=n, count=rng.randrange(9))
        for _ in range(rng.randrange(1, 6))
    ]
    return "".join(sentence + rng.choice(["\n", "\n", " ", "\n\n"]) for sentence in chosen)


def thought_of(rng, old, wrong, language):
    """What a model thinks: sentences, the old text quoted, a draft that is not the answer."""
    parts = [rng.choice(BEGUN), sentences(rng, 777)]
    if rng.random() < 0.3:
        parts.append(f"The file is\n{fenced(rng, old, language)}\n")
    if rng.random() < 0.3:
        parts.append(f"I could write\n{fenced(rng, wrong, language)}\nbut that is not it.\n")
    return "".join((*parts, sentences(rng, 777)))


def with_thought(rng, old, wrong, language):
    """A thought in the words of some family: whole, without its opening, stripped, or without an end."""
    inner, kind = thought_of(rng, old, wrong, language), rng.random()
    pair = rng.choice(_all_thought_pairs())
    closing = pair.closing.replace("…", rng.choice(["", " <|constrain|>json"]))
    if pair.closing == "<|end|>":
        closing += "<|begin|>assistant<|content|>"
    opening = pair.opening + ("<|message|>" if pair.opening.startswith("<|channel|>") else "")
    if pair.opening[0].isalpha():
        inner = "We need to think. " + inner
    if rng.random() < 0.1:
        opening, closing = opening.upper(), closing.upper()
        if pair.opening.endswith("analysis"):
            opening = pair.opening
    if kind < 0.6:
        return opening + rng.choice(["", "\n"]) + inner + closing + rng.choice(["", "\n", "\n\n"])
    if kind < 0.9:
        return inner + closing + rng.choice(["", "\n", "\n\n"])
    return opening + "\n" + inner


def random_answer(rng, old, new, wrong, language):
    parts = []
    if rng.random() < 0.1:
        parts.append(rng.choice([*_BEGINNINGS, "<|im_start|>assistant\n"]))
    parts += [with_thought(rng, old, wrong, language) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
    if rng.random() < 0.15:
        parts.append(rng.choice(_ANSWERS).opening.replace("…", "") + "\n")
    if rng.random() < 0.3:
        parts.append(rng.choice(INTRODUCTIONS) + rng.choice(["\n", "\n\n"]))
    if rng.random() < 0.15:
        parts.append(f"Original:\n{fenced(rng, old, language)}\nUpdated:\n")
    form = rng.random()
    if form < 0.85:
        parts.append(fenced(rng, new, language))
    elif form < 0.95:
        parts.append(new)
    else:
        parts.append(f"<code>\n{new}</code>")
    if rng.random() < 0.3:
        parts.append(rng.choice(["", "\n"]) + rng.choice([*_ENDS, "<|some_word|>"]))
    elif rng.random() < 0.4:
        parts.append("\n\n" + rng.choice(TALK).format(n=777))
        if rng.random() < 0.3:
            parts.append("\n\n" + rng.choice(USAGE))
    return "".join(parts)


def random_continuation(rng, old, new, wrong, language):
    """An answer whose fence was opened for the model, as a local one's."""
    run = "````" if language in ("markdown", "text", "mdx") or "```" in old else "```"
    begun = rng.random()
    before = with_thought(rng, old, wrong, language) if begun < 0.3 else ""
    if 0.3 < begun < 0.4:
        before = f"Here is the updated file:\n{run}{language}\n"
    after = rng.choice(["", "\n", "<|im_end|>", "</s>", f"\n\n{rng.choice(TALK).format(n=777)}"])
    end = "" if new.endswith("\n") else "\n"
    return f"{before}{new}{end}{run}{after}"


def in_pieces(rng, text):
    if rng.random() < 0.1:
        return [text]
    most = rng.choice([1, 3, 9, 40])
    pieces = []
    while text:
        size = rng.randrange(1, most + 1)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def check_seed(seed):
    rng = random.Random(seed)
    language = rng.choice(language_names())
    old, new = random_text(rng, language)
    wrong = new.replace("777", "778") if "777" in new else new + "x\n"
    edit_format = rng.choice(["messages", "messages", "messages", "plain"])
    write = random_answer if edit_format == "messages" else random_continuation
    answer, end = write(rng, old, new, wrong, language), "stop"
    if rng.random() < 0.2:
        answer = answer[: rng.randrange(len(answer) + 1)]
        # A model that continues a fence ends of its own accord, or at a limit.
        end = rng.choice(["stop", "length"]) if edit_format == "messages" else "length"
    path = NAMES.get(language) or f"a.{extension_of(language)}"
    model = rng.choice(["qwen3-8b", "a model"])
    result, _ = edited(
        old, in_pieces(rng, answer), path=path, end=end, model=model, edit_format=edit_format
    )
    if result.error is not None:
        assert (result.text, result.error.code) in [(None, "refused"), (None, "cut-off")]
        return "refused"
    if result.text == new:
        return "suspect, wrongly" if result.suspects else "right"
    if result.text == old:
        return "unchanged"
    assert any(hunk.suspect for hunk in result.hunks), (language, old, answer, result.text)
    return "suspect"


def check_seeds(first, count):
    """And most answers, of which one in five is cut and one in ten thinks without an end, are read."""
    outcomes = Counter(check_seed(seed) for seed in range(first, first + count))
    assert outcomes["right"] > count // 2, outcomes
    assert outcomes["suspect, wrongly"] < count // 20, outcomes


@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_no_answer_changes_the_text_silently(first):
    check_seeds(first, 200)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 60_000, 1000))
def test_no_answer_changes_the_text_silently_at_length(first):
    check_seeds(first, 1000)
