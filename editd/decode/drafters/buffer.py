"""The buffer as the draft: a cursor through it that is never lost, and rules learned on the way."""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.decode.drafters.cursor import Cursor, Hunk
from editd.decode.drafters.guesses import LEAST_CHANCE, GuessTree
from editd.decode.drafters.substitutions import Substitutions
from editd.decode.drafters.view import PlainText, View

_CREDIT = 32
LEAST_SUPPOSED = 0.1
MOST_SUPPOSED = 8
_CONTEXT = 8  # tokens on each side of a hunk in which a word may begin or end


class BufferDrafter:
    """Drafts what follows the cursor in the prediction, with learned substitutions made."""

    def __init__(self, task: DraftTask, preset: str = "chain") -> None:
        self.name = "buffer" if preset == "chain" else f"buffer:{preset}"
        self.branches = preset == "tree"
        without = task.options.get("without", ())
        text = task.prediction
        if task.answer_closing and text and not text.endswith("\n"):
            text += "\n"
        self._codec = task.codec
        self._plain = PlainText(text + task.answer_closing, task.answer_opening, task.codec)
        renames = () if "renames" in without else task.options.get("renames", ())
        self._learns = "substitutions" not in without
        self._substitutions = Substitutions(renames)
        self._view: View | None = None  # made with the first rule
        self._cursor = Cursor(self._plain.ids, task.codec)
        if self._substitutions.pattern is not None:
            self._rewrite()
        self._seen = 0

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        if max_tokens <= 0:
            return EMPTY
        tree = GuessTree()
        self.grow(tree, output_ids, max_tokens, 1.0)
        return tree.tree(max_tokens) if self.branches else tree.chain(max_tokens)

    def observe(self, accepted_ids: Sequence[int], row_top1_ids: Sequence[int]) -> None:
        pass

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add guesses; returns the chance that none of them is right."""
        self._follow(output_ids)
        cursor = self._cursor
        if cursor.synced:
            ids = cursor.ids[cursor.at : cursor.at + max_tokens]
            tree.add_copy(-1, ids, 0.98 * share, _CREDIT + cursor.held, "buffer")
            return 0.02 if ids else 1.0
        left = 1.0
        for place in cursor.places(output_ids):
            if place.chance < LEAST_CHANCE:
                break
            left -= place.chance
            ids = cursor.ids[place.index : place.index + max_tokens]
            tree.add_copy(-1, ids, place.chance * share, _CREDIT + place.held, "buffer")
        return max(left, 0.0)

    def grow_on(self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int) -> None:
        """Add where the buffer would go on after the likeliest guesses of others."""
        cursor = self._cursor
        if cursor.synced:
            return
        likely = [
            node
            for node, chance in enumerate(tree.chances)
            if chance >= LEAST_SUPPOSED and tree.sources[node] != "buffer"
        ]
        for node in likely[:MOST_SUPPOSED]:
            chance = tree.chances[node]
            for place in cursor.supposing(output_ids, tree.path(node)):
                if place.chance * chance < LEAST_CHANCE:
                    break
                ids = cursor.ids[place.index : place.index + max_tokens]
                tree.add_copy(node, ids, place.chance * chance, _CREDIT + place.held, "buffer")

    def _follow(self, output_ids: Sequence[int]) -> None:
        cursor = self._cursor
        while self._seen < len(output_ids):
            if cursor.synced:
                self._seen = cursor.walk(output_ids, self._seen)
                if self._seen == len(output_ids):
                    break
                if self._refuted(output_ids[self._seen]):
                    continue
            cursor.step(output_ids, self._seen)
            self._seen += 1
            for hunk in cursor.hunks:
                self._learn(hunk, output_ids)
            cursor.hunks.clear()

    def _refuted(self, token_id: int) -> bool:
        """Where the output kept what a rule would have replaced, drop the rule."""
        view, at = self._view, self._cursor.at
        if view is None or at >= len(view.ids) or not view.rules[at]:
            return False
        origin = view.origins[at]
        plain = self._plain.plain()
        kept = plain.index_at(origin)
        if kept >= len(plain.ids) or plain.ids[kept] != token_id:
            return False
        if not self._substitutions.refute(view.rules[at]):
            return False
        self._rewrite()
        return True

    def _learn(self, hunk: Hunk, output_ids: Sequence[int]) -> None:
        if not self._learns or hunk.end < hunk.start:
            return
        ids, text = self._cursor.ids, self._codec.decode
        changed = self._substitutions.learn(
            text(ids[max(0, hunk.start - _CONTEXT) : hunk.start]),
            text(ids[hunk.start : hunk.end]),
            text(output_ids[hunk.new_start : hunk.new_end]),
            text(ids[hunk.end : hunk.end + _CONTEXT]),
        )
        if changed:
            self._rewrite()

    def _rewrite(self) -> None:
        """Read the buffer through the rules as they are now."""
        old = self._view or self._plain.plain()
        new = self._plain.view(self._substitutions.pattern, self._substitutions.rules)
        if new.ids == old.ids:
            self._view = new
            return
        self._view = new
        self._cursor.move(
            new.ids,
            lambda index: (
                new.index_at(old.origins[index]) if index < len(old.origins) else len(new.ids)
            ),
        )
