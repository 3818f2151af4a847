"""Two short edits, quick to solve: one file with emoji, one without final newline."""

from tests.fixtures.solved.edits import Edit
from tests.fixtures.solved.shape import Shape

# Two short edits in a second or two.
TINY = Shape(
    name="tiny",
    hidden=64,
    sketch=32,
    intermediate=192,
    layers=3,
    heads=4,
    kv_heads=2,
    head_dim=16,
    vocab_size=400,
    distances=((1, 2, 3, 4), (5, 10, 15, 20), (7, 25, 50, 75)),
    rounds=(6, 6, 24),
    max_positions=2048,
)

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
