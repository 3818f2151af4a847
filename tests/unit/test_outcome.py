"""The table of how an edit can end."""

import pytest

from editd.errors import (
    AnswerCutOff,
    EditCancelled,
    EditFailed,
    EditRefused,
    MemoryRanOut,
    ModelNotFound,
    ProtocolError,
    ScopeTooLarge,
    UsageError,
)
from editd.messages import EditResult, ErrorInfo
from editd.outcome import DONE, error_of, outcome_of


@pytest.mark.parametrize(
    ("error", "row"),
    [
        (UsageError, ("error", 2, 400, "refused", "failed")),
        (EditRefused, ("refused", 1, 422, "refused", "failed")),
        (ScopeTooLarge, ("refused", 1, 400, "refused", "failed")),
        (EditFailed, ("error", 1, 500, "failed", "failed")),
        (ProtocolError, ("error", 3, 503, "failed", "failed")),
        (ModelNotFound, ("error", 4, 500, "failed", "failed")),
        (MemoryRanOut, ("error", 4, 500, "failed", "failed")),
        (AnswerCutOff, ("length", 5, 504, "refused", "failed")),
        (EditCancelled, ("cancelled", 130, 503, "cancelled", "cancelled")),
    ],
)
def test_an_error_has_the_row_of_its_class_or_of_the_nearest_base(error, row):
    found = outcome_of(EditResult("r", "error", error=ErrorInfo(error.code, "So it is.")))
    assert found is outcome_of(error("So it is."))
    assert row == (
        found.finish_reason,
        found.exit_code,
        found.http_status,
        found.tool_status,
        found.answer_status,
    )


def test_a_result_with_a_text_has_no_error():
    assert outcome_of(EditResult("r", "stop", text="a\n")) is DONE
    assert isinstance(error_of(EditResult("r", "stop")), EditFailed)
