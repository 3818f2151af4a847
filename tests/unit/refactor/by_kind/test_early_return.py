"""The ``if`` that a sentence describes is turned around; a guard that the code does not have in any form is left."""

import pytest

from tests.unit.refactor.by_kind.check import done

PY = """\
def deliver(parcel, depot):
    if parcel.weight > 0:
        depot.load(parcel)
        depot.book(parcel)
        return True
    return False


def greet(guest):
    if guest is not None:
        print("welcome")
        print(guest.name)


def close_all(doors):
    for door in doors:
        if door.is_open:
            door.close()
            door.lock()


def check_in(guest, room):
    if guest.paid:
        if not room.taken:
            room.give(guest)
            room.light()
"""
TS = """\
export function price(seat: Seat | null): string {
  if (seat) {
    switch (seat.row) {
      case 1:
        return "dear";
      default:
        return "cheap";
    }
  }
  return "free";
}

export function drop(ids: string[], id: string) {
  if (ids.some((x) => x === id)) {
    const rest = ids.filter((x) => x !== id);
    save(rest);
  }
}
"""
GO = """\
package a

func send(m *Mail) error {
	if m.Body != "" {
		log(m)
		return post(m)
	}
	return nil
}
"""
TEXTS = {"a.py": PY, "a.ts": TS, "a.go": GO}
WEIGHT = ("if parcel.weight > 0:", "if parcel.weight <= 0:\n        return False\n")
GUEST = ("if guest is not None:", "if guest is None:\n        return\n")


@pytest.mark.parametrize(
    ("path", "sentence", "heads"),
    [
        ("a.py", "deliver: let it give False at once for parcels without weight", WEIGHT),
        ("a.py", "deliver is nested for no good reason, turn its if around", WEIGHT),
        ("a.py", "deliver should return False up front if the weight is zero", WEIGHT),
        ("a.py", "a missing guest ought to be dealt with first in greet", GUEST),
        ("a.py", "greet: `if guest is None: return`, then the rest one level to the left", GUEST),
        ("a.py", "get rid of the indentation in greet, out if there's no guest", GUEST),
        ("a.py", "the loop of close_all reads better with a continue for doors that aren't open", ("if door.is_open:", "if not door.is_open:\n            continue\n")),
        ("a.py", "check_in has an if in an if, early returns please", ("if guest.paid:", "if not guest.paid:\n        return\n", "if room.taken:\n        return\n")),
        ("a.py", "check_in: return early for guests who haven't paid or rooms that are taken", ("if guest.paid:", "if not guest.paid:\n        return\n", "if room.taken:\n        return\n")),
        ("a.ts", "price: handle the missing seat first, so that the switch isn't indented", ("if (seat) {", 'if (!seat) {\n    return "free";\n', '"cheap";\n  }\n}\n')),
        ("a.ts", "drop should bail out straight away when the id isn't there", ("if (ids.some(", "if (!ids.some((x) => x === id)) {\n    return;\n")),
        ("a.go", "send: mails with no body -> return nil at the top, no nesting", ("m.Body != ", 'if m.Body == "" {\n\t\treturn nil\n')),
        # The contrary, another value, another thing of the function, code that is not there, half of two.
        ("a.py", "deliver should return False first if the parcel has a weight", ()),
        ("a.py", "deliver should return None up front if the weight is zero", ()),
        ("a.py", "deliver should return 7 up front if the weight is zero", ()),
        ("a.py", "deliver should return early when the depot is full", ()),
        ("a.py", "deliver should bail out when it rains", ()),
        ("a.py", "greet: `if guest.name is None: return` first", ()),
        ("a.py", "greet: return early if there is a guest", ()),
        ("a.py", "in welcome_guest return early when the guest is None", ()),
        ("a.py", "return early, please", ()),
        ("a.ts", 'price: return "gone" early for a missing seat', ()),
        ("a.go", "send: return an error first if the mail has a body", ()),
    ],
)  # fmt: skip
def test_the_described_if_is_turned(path, sentence, heads):
    text = TEXTS[path]
    old, *new = heads or ("",)
    found = done("early_return", path, text, sentence)
    assert (found is None) == (not heads)
    assert found is None or (old not in found and all(head in found for head in new))
