"""Each note of an edit is told once, with the lines that it is about."""

import pytest

from editd.diff.hunk import Hunk, Span, notes


def hunk(at, note=None, *spans):
    return Hunk(at, at, 1, ("a\n", "b\n"), note=note, note_spans=spans)


UNSURE = Span(1, 0, 1, "Unsure.")


@pytest.mark.parametrize(
    ("hunks", "told"),
    [
        ([hunk(3)], []),
        ([hunk(3, "Look.")], ["line 4: Look."]),
        ([hunk(3, "Look."), hunk(8, "Look.")], ["lines 4 and 9: Look."]),
        ([hunk(0, "A."), hunk(1, "B."), hunk(2, "A.")], ["lines 1 and 3: A.", "line 2: B."]),
        ([hunk(at, "Look.") for at in range(5)], ["lines 1, 2, 3, 4 and 5: Look."]),
        ([hunk(at, "Look.") for at in range(9)], ["lines 1, 2, 3, 4 and 5 more: Look."]),
        # A part's line is that of the new text, to which the hunk before adds one.
        ([hunk(0), hunk(4, None, UNSURE, UNSURE)], ["line 7: Unsure."]),
    ],
)
def test_notes(hunks, told):
    assert notes(hunks) == told
