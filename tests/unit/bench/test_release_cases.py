"""Cases from releases: neighbours are paired by version, and only what really changed is taken."""

import json

from benchmarks.release_cases import changed_files, neighbours
from tests.recorded_cases import read_cases


def release(folder, name, files):
    for path, text in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder / name


BODY = "".join(f"value_{number} = {number}\n" for number in range(60))


def test_neighbours_follow_each_other_by_number(tmp_path):
    for name in ("lib-1.9", "lib-1.10", "lib-1.2", "other-1.0", "no-version"):
        (tmp_path / name).mkdir()
    pairs = [(old.name, new.name) for old, new in neighbours(tmp_path)]
    assert pairs == [("lib-1.2", "lib-1.9"), ("lib-1.9", "lib-1.10")]


def test_changed_files_most_hunks_first(tmp_path):
    two = BODY.replace("_3 =", "_x =").replace("_40 =", "_y =")
    three = two.replace("_50 =", "_z =")
    old = release(
        tmp_path,
        "lib-1",
        dict.fromkeys(("two.py", "three.py", "one.py", "same.py", "gone.py", "anew.py"), BODY),
    )
    new = release(
        tmp_path,
        "lib-2",
        {
            "two.py": two,
            "three.py": three,
            "one.py": BODY.replace("_3 =", "_x ="),  # a single small hunk
            "same.py": BODY,
            "anew.py": BODY.replace("value", "other"),  # nothing is shared
            "sub/new.py": BODY,
        },
    )
    cases = changed_files(old, new)
    assert [case["id"] for case in cases] == ["lib-2:three.py", "lib-2:two.py"]
    assert (cases[0]["before"], cases[0]["after"]) == (BODY, three)
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    assert [case.id for case in read_cases(path)] == ["lib-2:three.py", "lib-2:two.py"]
