"""The copy oracle: what copying could reach at most, by one who knows the answer.

Each round it takes the longest run of the coming text, up to the window, that stands anywhere in
prompt or output so far, and then the target's own token. It knows no substitutions: a drafter that
learns them can pass it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.replay.automaton import SuffixAutomaton


def oracle_runs(prompt_ids: Sequence[int], answer_ids: Sequence[int], window: int) -> list[int]:
    """Copied tokens of each round; every round adds one token of the target's own."""
    seen = SuffixAutomaton()
    for token_id in prompt_ids:
        seen.extend(token_id)
    runs: list[int] = []
    done = 0
    while done < len(answer_ids):
        # The last token is the target's own in any case, so it need not be found.
        coming = answer_ids[done : min(done + window, len(answer_ids) - 1)]
        run = seen.longest_run(coming)
        runs.append(run)
        for token_id in answer_ids[done : done + run + 1]:
            seen.extend(token_id)
        done += run + 1
    return runs
