"""Puts each definition of a sketch where the file has its name, and new ones beside their neighbours.

A definition that is shown whole replaces the one of its name; one that is shown in part is read again
within the file's lines of it. What stands between definitions is aligned with what stands between them
in the file (``align``), so nothing that the sketch does not mention can go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from editd.apply.align import Aligned, Change, align
from editd.apply.lines import Lines, indent_of, reindented, stripped
from editd.apply.sketch import Part
from editd.apply.structure import IMPORT, Node, Structure
from editd.diff.matching import is_weak

ALONE, SURE, LIKELY, UNSURE = 1.0, 0.97, 0.9, 0.6  # of a place that a name or a neighbour gives

_ELSEWHERE = "The paste does not show where this belongs; look whether it should stand elsewhere."
_ENDS = "The paste ends this otherwise than the file does at line {}; look whether more of it should stay."


def read_by_name(
    blocks: Sequence[Sequence[str]],
    lines: Lines,
    language: str,
    is_marker: Callable[[str], bool],
) -> Aligned | None:
    """The reading; ``None`` if the sketch is not made of definitions, or not in the file's order."""
    structure = Structure(lines, language, is_marker)
    nodes = structure.nodes(blocks)
    if nodes is None:
        return None
    marked = any(is_marker(line) for block in blocks for line in block)
    return _Placing(structure, marked=marked).place(nodes)


class _Placing:
    """The file's lines, and what becomes of them."""

    def __init__(self, structure: Structure, *, marked: bool) -> None:
        self.lines = structure.lines
        self.file, self.strong = structure.file, structure.strong
        self.definitions, self.language = structure.definitions, structure.language
        self.marked = marked  # there are markers

    def place(self, nodes: Sequence[Node]) -> Aligned | None:
        """All changes in order."""
        if len(nodes) == 1 and nodes[0].kind == "whole" and self._is_alone(nodes[0]):
            only = replace(self._replaced(nodes[0]), sure=ALONE, why="")
            return Aligned((only,), ALONE)
        changes = self._placed(nodes, 0, len(self.file), whole_file=self._is_whole_file(nodes))
        if changes is None:
            return None
        changes.sort(key=lambda one: (one.start, one.end))
        if any(one.end > two.start for one, two in pairwise(changes)):
            return None
        sure = 1.0
        for one in changes:
            sure *= one.sure
        return Aligned(tuple(changes), sure)

    def _is_alone(self, node: Node) -> bool:
        """Whether nothing but a version of this one definition is shown, without its decorators.

        Both end in the same line, and share another one: a beginning alone would delete the rest.
        """
        there = [x.strip() for x in self.file[node.start : node.end]]
        new = [x.strip() for x in node.lines]
        same_head = new[0] == there[0] and there.count(there[0]) == 1
        shared = {x for x in new[1:-1] if not is_weak(x)} & set(there[1:-1])
        return (
            not self.marked
            and node.is_only
            and new[-1] == there[-1]
            and (bool(shared) or (same_head and not is_weak(new[-1])))
            and len(node.given) <= len(indent_of(self.file[node.start]))
            and (same_head or node.given == indent_of(self.file[node.start]))
        )

    def _is_whole_file(self, nodes: Sequence[Node]) -> bool:
        """Whether the sketch shows all of the file: no marker, and most of its lines or all names."""
        if any(one.kind in ("marker", "open") for one in nodes):
            return False
        shown = {x.strip() for one in nodes for x in one.lines}
        strong = [x.strip() for x in self.file if not is_weak(x)]
        return sum(x in shown for x in strong) >= 0.7 * len(strong)

    def _placed(
        self,
        nodes: Sequence[Node],
        low: int,
        high: int,
        *,
        whole_file: bool = False,
        nested: bool = False,
    ) -> list[Change] | None:
        """What becomes of lines ``low .. high``."""
        fixed = [one for one in nodes if one.kind in ("whole", "open")]
        in_order = all(one.end <= two.start for one, two in pairwise(fixed))
        if not in_order and len(fixed) < len([one for one in nodes if one.kind != "marker"]):
            return None
        changes: list[Change] = []
        run: list[Node] = []
        above: Node | None = None
        for node in [*nodes, None]:
            if node is not None and node.kind not in ("whole", "open"):
                run.append(node)
                continue
            if any(one.kind != "marker" for one in run):
                first = low if above is None else above.end
                last = high if node is None else node.start
                found = self._run(
                    run, first, last, above, node, whole_file=whole_file, nested=nested
                )
                if found is None:
                    return None
                changes += found
            run = []
            above = node
            if node is None:
                break
            if node.kind == "whole":
                changes.append(self._replaced(node))
            else:
                inner = self._inside(node)
                if inner is None:
                    return None
                changes += inner
        return changes

    def _inside(self, node: Node) -> list[Change] | None:
        """What becomes of the lines of a definition that is shown in part."""
        inner, end = list(node.inner), node.end
        closing = self.file[end - 1].strip()
        if end - 1 > node.start and is_weak(closing):  # the bracket that closes it
            end -= 1
            last = inner[-1] if inner else None
            if last is not None and last.kind == "lines" and last.lines[-1].strip() == closing:
                inner[-1] = replace(last, lines=stripped(last.lines[:-1]))
            inner = [one for one in inner if one.kind == "marker" or one.lines]
        head = self._new_head(inner, node.start)
        if head is None:
            first = inner[0] if inner else None
            if first is not None and first.kind == "lines":
                shown = {x.strip() for x in self.file[node.start : end]}
                if first.lines[0].strip() not in shown:
                    return None  # its first lines are new, and where they end is not shown
            return self._placed(inner, node.start, end, nested=True)
        first = inner[0]
        rest = stripped(first.lines[1:])
        below = [replace(first, lines=rest)] if rest else []
        found = self._placed([*below, *inner[1:]], node.start + 1, end, nested=True)
        return None if found is None else [head, *found]

    def _new_head(self, inner: Sequence[Node], start: int) -> Change | None:
        """The new first line of a definition that is shown in part, if both are of one line."""
        if not inner or inner[0].kind != "lines":
            return None
        line, there = inner[0].lines[0], self.file[start]
        if (
            line == there
            or line.rstrip()[-1:] != there.rstrip()[-1:]
            or line.rstrip()[-1] not in ":{"
        ):
            return None
        return Change(start, start + 1, (line,), SURE)

    def _replaced(self, node: Node) -> Change:
        """A definition in the place of the one with its name."""
        there = self.file[node.start : node.end]
        new = _with_blanks(node.lines, there)
        gone = {x.strip() for x in there if not is_weak(x)} - {x.strip() for x in new}
        come = {x.strip() for x in new if not is_weak(x)} - {x.strip() for x in there}
        cut = len(gone) - len(come) > 5 and len(gone) > len(there) / 2
        if not cut:
            last = next((x for x in reversed(there) if not is_weak(x)), "")
            if self.marked and last.strip() not in {x.strip() for x in new}:
                return Change(node.start, node.end, new, LIKELY, why=_ENDS.format(node.end))
            return Change(node.start, node.end, new, SURE)
        why = (
            f"Most of lines {node.start + 1} to {node.end} would go; look whether the paste shows all of "
            "what it replaces."
        )
        return Change(node.start, node.end, new, UNSURE, why=why)

    def _run(
        self,
        run: Sequence[Node],
        low: int,
        high: int,
        above: Node | None,
        below: Node | None,
        *,
        whole_file: bool,
        nested: bool,
    ) -> list[Change] | None:
        """Elements between two definitions of the file that are known, at ``low .. high``."""
        parts: list[list[Node]] = [[]]
        for node in run:
            if node.kind == "marker":
                parts.append([])
            else:
                parts[-1].append(node)
        known = {x.strip() for x in self.file[low:high] if not is_weak(x)}
        aligned: list[Part] = []
        inserted: list[tuple[int, list[Node]]] = []  # after so many aligned parts
        for number, group in enumerate(parts):
            first = number == 0 and above is None and (whole_file or nested)
            last = number == len(parts) - 1 and below is None and (whole_file or nested)
            beside = (
                number == 0 and above is not None,
                number == len(parts) - 1 and below is not None,
            )
            shown = [x for node in group for x in (*node.lines, "")]
            if not group:
                continue
            if any(x.strip() in known for x in shown if not is_weak(x)) and not all(
                node.kind == "new" for node in group
            ):
                marked = (
                    not (first or (beside[0] and whole_file)),
                    not (last or (beside[1] and whole_file)),
                )
                lines = self._fitted(stripped(shown), low, high)
                aligned.append(Part(lines, *marked))
            else:
                inserted.append((len(aligned), group))
        changes: list[Change] = []
        if aligned:
            found = align(self.lines, aligned, (low, high))
            if found is None:
                return None
            changes += found.changes
        for count, group in inserted:
            if any(
                x.strip() in self.strong
                for node in group
                if node.kind == "lines"
                for x in node.lines
            ):
                return None  # the file has such lines elsewhere
            own = indent_of(next(x for x in group[0].lines if x.strip()))
            neighbour = above if above is not None else below
            is_new = any(node.kind == "new" for node in group)
            if is_new and neighbour is not None and own != neighbour.given:
                return None  # at another depth than its neighbour
            if is_new and neighbour is None and own and not nested:
                return None  # inside of something that is not shown
            at = parts.index(group)
            joined_above = at == 0 and above is not None
            joined_below = at == len(parts) - 1 and below is not None
            bounds = (
                changes[count - 1].end if count else low,
                changes[count].start if count < len(aligned) else high,
            )
            changes += self._inserted(
                group,
                bounds,
                above,
                joined_above=joined_above,
                joined_below=joined_below,
                at_end=nested and 0 < at == len(parts) - 1 and below is None,
            )
        if self.marked:  # such a sketch may show context of another change
            changes = [replace(one, sure=min(one.sure, LIKELY)) for one in changes]
        return changes

    def _fitted(self, lines: tuple[str, ...], low: int, high: int) -> tuple[str, ...]:
        """Indented as the file indents the first of them that it has."""
        indents: dict[str, str] = {}
        for x in self.file[low:high]:
            indents.setdefault(x.strip(), indent_of(x))
        for x in lines:
            if not is_weak(x) and x.strip() in indents:
                if indents[x.strip()] == indent_of(x):
                    return lines
                return tuple(reindented(lines, indent_of(x), indents[x.strip()], self.file))
        return lines

    def _inserted(
        self,
        group: Sequence[Node],
        bounds: tuple[int, int],
        above: Node | None,
        *,
        joined_above: bool,
        joined_below: bool,
        at_end: bool,
    ) -> list[Change]:
        """New lines between two known places: below the one above if they are joined, else at the end."""
        low, high = bounds
        is_new = any(node.kind == "new" for node in group)
        lines = list(stripped([x for node in group for x in (*node.lines, "")]))
        file = self.file
        if all(node.kind == "lines" for node in group) and all(
            IMPORT.match(x) or is_weak(x) for x in lines
        ):
            last = max(
                (i for i in range(low, high) if IMPORT.match(file[i]) and not indent_of(file[i])),
                default=None,
            )
            if last is not None:
                return [Change(last + 1, last + 1, tuple(lines), SURE)]
        wanted = self._depth(low, high, above)
        if wanted is not None:
            lines = list(reindented(lines, indent_of(lines[0]), wanted, file))
        gap = self._gap(wanted or "") if is_new else 0
        sure, why = (SURE, "") if joined_above or joined_below else (LIKELY, _ELSEWHERE)
        if at_end and is_new:
            sure, why = SURE, ""  # below all that its class has
        if joined_above:
            return [Change(low, low, ("",) * gap + tuple(lines), sure, why=why)]
        if joined_below:
            return [Change(high, high, tuple(lines) + ("",) * gap, sure, why=why)]
        end = high
        while end > low and not file[end - 1].strip():
            end -= 1
        return [Change(end, end, ("",) * gap + tuple(lines), sure, why=why)]

    def _depth(self, low: int, high: int, above: Node | None) -> str | None:
        """The indentation of definitions there."""
        if above is not None:
            return indent_of(self.file[above.start])
        for one in self.definitions:
            if low <= one.start < high:
                return indent_of(self.file[one.start])
        return None

    def _gap(self, depth: str) -> int:
        """How many blank lines part definitions of that depth."""
        counts: dict[int, int] = {}
        for one in self.definitions:
            if indent_of(self.file[one.start]) == depth and one.start:
                blank = 0
                while one.start - blank > 0 and not self.file[one.start - blank - 1].strip():
                    blank += 1
                if blank:
                    counts[blank] = counts.get(blank, 0) + 1
        if counts:
            return max(counts, key=lambda blank: counts[blank])
        return 2 if self.language == "python" and not depth else 1


def _with_blanks(new: Sequence[str], there: Sequence[str]) -> tuple[str, ...]:
    """The new lines, without blanks that only stand at their ends in one of both."""
    own = {x.rstrip(): x for x in there}
    return tuple(own.get(x.rstrip(), x) for x in new)
