"""Languages without a parser: what the words decide by a few rules, and what is left undecided."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

RENAME = "rename total to amount"


def answer(instruction, path, text):
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    return None if result is None else result.text


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.sql", "SELECT total.id, 'total' FROM a AS total -- total\n", "SELECT amount.id, 'total' FROM a AS amount -- total\n"),
        ("a.clj", '(defn total [xs] xs) ; total\n(def total-of total)\n(total? "total")\n',
         '(defn amount [xs] xs) ; total\n(def total-of amount)\n(total? "total")\n'),
        ("a.el", "(defun total (x) (my-total x))\n", "(defun amount (x) (my-total x))\n"),
        ("a.rb", 'def total(x)\n  # total\n  puts "#{total} total", total!\nend\n', 'def amount(x)\n  # total\n  puts "#{amount} total", total!\nend\n'),
        ("a.sh", 'total=1\nlocal total\necho "$total ${total}" total $total-of --total\n',
         'amount=1\nlocal amount\necho "$amount ${amount}" total $amount-of --total\n'),
        ("a.sh", "total() {\n  echo 1\n}\ntotal x\n", "amount() {\n  echo 1\n}\namount x\n"),
        ("a.kt", 'val total = 1\nprintln("$total total ${total}") // total\no.total\n', 'val amount = 1\nprintln("$amount total ${amount}") // total\no.total\n'),
        ("a.swift", 'let total = 1\nprint("\\(total)")\n', 'let amount = 1\nprint("\\(amount)")\n'),
        ("a.cs", 'int total = 1; var s = $"{total}"; this.total();\n', 'int amount = 1; var s = $"{amount}"; this.amount();\n'),
        ("a.php", '<?php\n$total = 1;\necho "$total";\n', '<?php\n$amount = 1;\necho "$amount";\n'),
        ("a.lua", 'local total = 1 -- total\nprint(total, "total")\n', 'local amount = 1 -- total\nprint(amount, "total")\n'),
        ("a.css", ".total { x: 1 } /* total */\n.total-of:hover { --total: 1 }\n", ".amount { x: 1 } /* total */\n.total-of:hover { --total: 1 }\n"),
        ("a.scss", "$total: 1;\na { b: $total }\n", "$amount: 1;\na { b: $amount }\n"),
        ("Makefile", "total = 1\nall:\n\techo $(total) total-of\n", "amount = 1\nall:\n\techo $(amount) total-of\n"),
        ("Dockerfile", "ARG total=1\nENV total $total\nRUN echo ${total} # total\n", "ARG amount=1\nENV amount $amount\nRUN echo ${amount} # total\n"),
        ("a.html", '<a href="{{ total.url }}" class="total">{% if total %}{{ "total" }}{% endif %}</a>\n',
         '<a href="{{ amount.url }}" class="total">{% if amount %}{{ "total" }}{% endif %}</a>\n'),
        ("a.vue", '<b :x="total" @y="total()">the total is {{ total }}</b>\n', '<b :x="amount" @y="amount()">the total is {{ amount }}</b>\n'),
        ("a.json", '{"total": "total", "b": {"total": 1}}\n', '{"amount": "total", "b": {"amount": 1}}\n'),
        ("a.yaml", "a:\n  total: total\nb:\n  total: 1 # total\n", "a:\n  amount: total\nb:\n  amount: 1 # total\n"),
        ("a.toml", 'total = "total"\n[a.total]\n', 'amount = "total"\n[a.amount]\n'),
        # Not decided
        ("a.php", "<?php\nclass A { public $total; function f() { return $this->total; } }\n", None),
        ("a.rb", "x = <<~E\n  total\nE\ntotal = 1\n", None),
        ("a.kt", 'val total = """total"""\n', None),
        ("a.js.unknown", "total = 1\n", None),
        ("a.md", "`total` is the total\n", None),
        ("a.sql", "SELECT total, 'it\n", None),
        ("a.html", "<p>the total is</p>\n", None),
        ("a.vue", '<script>\nconst total = "total"\n</script>\n', None),
    ],
)  # fmt: skip
def test_a_name(path, text, new):
    assert answer(RENAME, path, text) == new


@pytest.mark.parametrize(
    ("instruction", "path", "text", "new"),
    [
        ("delete the comments", "a.sh", '#!/bin/sh\n# x\necho "a # b" # y\necho ${a#b}\n', '#!/bin/sh\necho "a # b"\necho ${a#b}\n'),
        ("delete the comments", "a.rb", '# frozen_string_literal: true\n# old\nx = "# no" # y\n', '# frozen_string_literal: true\nx = "# no"\n'),
        ("delete the comments", "Dockerfile", "# syntax=docker/dockerfile:1\nFROM x\n# y\nRUN a # b\n", "# syntax=docker/dockerfile:1\nFROM x\nRUN a # b\n"),
        ("delete the comments", "a.yaml", 'a: 1 # x\n# y\nb: "# z"\n', 'a: 1\nb: "# z"\n'),
        ("delete the comments", "a.html", "<!-- a -->\n<p>text</p>\n", "<p>text</p>\n"),
        ("delete the comments", "a.sql", "-- x\nSELECT '--' /* y */ FROM a\n", "SELECT '--' FROM a\n"),
        ("delete the comments", "a.css", "/* x */\na { b: url(//c) }\n", "a { b: url(//c) }\n"),
        ("replace 80 with 90", "a.toml", 'port = 80 # 80\nx = "80"\ny = 8080\n', 'port = 90 # 80\nx = "80"\ny = 8080\n'),
        ('replace "left" with "right"', "a.rb", 'x = "left" # left\ny = "left side"\n', 'x = "right" # left\ny = "left side"\n'),
    ],
)  # fmt: skip
def test_comments_texts_and_numbers(instruction, path, text, new):
    assert answer(instruction, path, text) == new
