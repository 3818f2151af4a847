"""Two short edits, quick to solve: one file with emoji, one without final newline."""

from editd.demo.edits import Edit

GREETING = 'def greet(name):\n    print("👋 hello", name)\n\n\ndef leave():\n    greet("bye")\n'
TOTAL = "let total = 0;\nfor (const x of xs) {\n\ttotal += x;\n}"

EDITS = [
    Edit(
        "greet",
        "greet.py",
        "Rename greet to welcome.",
        GREETING,
        GREETING.replace("greet", "welcome"),
    ),
    Edit("total", "total.js", "Rename total to sum.", TOTAL, TOTAL.replace("total", "sum")),
]
