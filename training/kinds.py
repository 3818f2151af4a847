"""Learns the weights by which ``editd.intent.likely_kind`` tells which kind of edit a sentence asks for: ``python -m training.kinds``.

Logistic regression over the sentences of ``tests/fixtures`` that have a kind, with the squares of the weights as penalty. The same
sentences give the same weights. ``--check`` learns nothing for the package: each set of sentences is told by weights that were
learned from the others, and the share of right kinds is printed.
"""

from __future__ import annotations

import argparse
import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from editd.intent.likely_kind import OPEN, WEIGHTS, features_of
from editd.syntax.code import read_code
from editd.syntax.language import language_of
from tests.fixtures.instructions import BY_KIND, KEPT, SETS, Instruction, instructions, paraphrases

STEPS = 80
RATE = 0.1
PENALTY = 5e-6
FEWEST = 2  # sentences that have a feature
CERTAIN = (0.5, 0.6, 0.8)
_OTHER_NAMES = {
    "prints": "prints_delete",
    "delete_function": "delete_definition",
    "change_default": "set_value",
    "replace_literal": "replace",
    "add_param": "add_parameter",
}
"""The names of some kinds in the first sets, and those in the others."""


@dataclass(frozen=True, slots=True)
class Example:
    """The features of a sentence, and its kind."""

    features: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class Learned:
    """kinds: the names of the columns. columns: the number of each feature. weights: features × kinds; bias: kinds."""

    kinds: tuple[str, ...]
    columns: Mapping[str, int]
    weights: torch.Tensor
    bias: torch.Tensor

    def probabilities(self, examples: Sequence[Example]) -> torch.Tensor:
        """The probabilities of each kind, examples × kinds."""
        scores = torch.sparse.mm(_matrix(examples, self.columns), self.weights) + self.bias
        return torch.softmax(scores, 1)


def learn(examples: Sequence[Example]) -> Learned:
    """Learn the weights of the features that at least two of the examples have."""
    counts = Counter(feature for x in examples for feature in sorted(x.features))
    columns = {x: n for n, x in enumerate(x for x, count in counts.items() if count >= FEWEST)}
    kinds = tuple(sorted({x.kind for x in examples}))
    matrix = _matrix(examples, columns)
    right = torch.tensor([kinds.index(x.kind) for x in examples])
    weights = torch.zeros(len(columns), len(kinds), requires_grad=True)
    bias = torch.zeros(len(kinds), requires_grad=True)
    steps = torch.optim.Adam([weights, bias], lr=RATE)
    for _ in range(STEPS):
        steps.zero_grad()
        scores = torch.sparse.mm(matrix, weights) + bias
        loss = torch.nn.functional.cross_entropy(scores, right) + PENALTY * weights.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        steps.step()
    return Learned(kinds, columns, weights.detach(), bias.detach())


def _matrix(examples: Sequence[Example], columns: Mapping[str, int]) -> torch.Tensor:
    """The sparse matrix examples × features, whose rows have the length 1."""
    places, values = [], []
    for row, example in enumerate(examples):
        known = sorted(columns[x] for x in example.features if x in columns)
        places += [(row, column) for column in known]
        values += [len(known) ** -0.5 for _ in known]
    size = (len(examples), len(columns))
    return torch.sparse_coo_tensor(
        torch.tensor(places).T, torch.tensor(values), size, check_invariants=False
    )


def write(learned: Learned) -> None:
    """Write the weights into the package, each as one signed byte."""
    scale = float(learned.weights.abs().max()) / 127
    rows = (learned.weights / scale).round().to(torch.int8).numpy()
    features = [x for x, n in learned.columns.items() if rows[n].any()]
    data = {
        "kinds": learned.kinds,
        "bias": [round(float(x), 4) for x in learned.bias],
        "scale": scale,
        "features": features,
        "rows": base64.b64encode(
            b"".join(rows[learned.columns[x]].tobytes() for x in features)
        ).decode(),
    }
    WEIGHTS.write_text(json.dumps(data, ensure_ascii=False) + "\n", encoding="utf-8")


def all_examples() -> dict[str, list[Example]]:
    """The examples of each set, and beside them those whose results nobody wrote down."""
    learned_from = {name: file for name, file in SETS.items() if name not in KEPT}
    found = {name: [*map(example_of, instructions(file))] for name, file in learned_from.items()}
    others = (*paraphrases(), *paraphrases(BY_KIND))
    return {**found, "others": [*map(example_of, others)]}


def example_of(instruction: Instruction) -> Example:
    """The example that an instruction is."""
    code = read_code(instruction.text, language_of(instruction.path, ""))
    return Example(features_of(instruction.sentence, code.names), name_of(instruction.kind))


def name_of(kind: str) -> str:
    """The name that a kind of any set has in the weights."""
    return _OTHER_NAMES.get(kind, kind)


def _check(sets: Mapping[str, list[Example]]) -> None:
    """Print how many sentences of each set weights tell right that were learned from the others."""
    total: Counter[str] = Counter()
    for name in (x for x in SETS if x not in KEPT):
        learned = learn([x for other, each in sets.items() if other != name for x in each])
        for example, odds in zip(sets[name], learned.probabilities(sets[name]), strict=True):
            best = int(odds.argmax())
            kind = learned.kinds[best]
            is_open = example.kind == OPEN
            total["open" if is_open else "clear"] += 1
            total["right"] += kind == example.kind and not is_open
            for limit in CERTAIN:
                if odds[best] >= limit and kind != OPEN:
                    outcome = (
                        "open ones" if is_open else "right" if kind == example.kind else "wrong"
                    )
                    total[f"at {limit}: {outcome}"] += 1
    print(*(f"{x}: {n}" for x, n in total.items()), sep="\n")


def main() -> None:
    """Learn the weights of the package, or check how well they are learned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    torch.manual_seed(0)
    sets = all_examples()
    if parser.parse_args().check:
        _check(sets)
    else:
        write(learn([x for each in sets.values() for x in each]))


if __name__ == "__main__":
    main()
