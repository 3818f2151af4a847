"""How state machines are run: the short run is the same each time, the long one is not."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test


def sizes(short, long):
    """The number of runs and of steps in each; ``long`` ones are slow."""
    return pytest.mark.parametrize(
        ("examples", "steps"), [short, pytest.param(*long, marks=pytest.mark.slow)]
    )


def run(machine, examples, steps):
    """Look for a run of ``machine`` that breaks it."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=examples < 1000,
        ),
    )
