"""A trace as one HTML file: no script, nothing from elsewhere, every word of the edit escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files

from editd.diff.hunk import Hunk
from editd.doors.cli.console import visible, visible_text
from editd.doors.cli.explain_facts import (
    SOURCES,
    RoundRow,
    in_a_row,
    known,
    model_name,
    places,
    rows,
    time_split,
    tokens_by_source,
)
from editd.doors.cli.figures import duration
from editd.messages import Trace, TracePiece, TraceRound

# Nothing may be loaded or run, even if the text of an edit contains HTML.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CHART_WIDTH, _CHART_HEIGHT, _BELOW, _LEFT = 1040.0, 190.0, 60.0, 34.0
_LEAST_WIDTH = 0.8  # of a round in the chart, so that it can be seen


def page(trace: Trace) -> str:
    """The whole page."""
    style = files("editd.doors.cli").joinpath("explain_page.css").read_text(encoding="utf-8")
    name = escape(visible(trace.path) or "a text")
    about = (model_name(trace), f"drafter {trace.stats.drafter}", trace.finish_reason)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>editd: {name}</title><style>{style}</style></head><body>",
        f"<h1>{name} <q>{_text(trace.instruction)}</q></h1>",
        f'<div class="soft">{_text(", ".join(about))}</div>',
        *_tiles(trace),
        *_shares(trace),
        *_chart(trace),
        *_rounds(trace),
        *_hunks(trace),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _figure(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _tiles(trace: Trace) -> Iterator[str]:
    stats = trace.stats
    first = "–" if stats.first_hunk_ms is None else duration(stats.first_hunk_ms / 1000)
    drafted = "draft tokens accepted"
    if stats.drafted is not None:
        drafted = f"of {stats.drafted:,} {drafted}"
    tiles = [
        (_figure(stats.output_tokens, ","), "tokens written"),
        (_figure(stats.rounds, ","), "rounds"),
        (_figure(stats.tokens_per_round, ".1f"), "tokens a round"),
        (_figure(stats.acceptance_rate, ".0%"), drafted),
        (first, "to the first hunk"),
        (duration(stats.total_seconds), "in all"),
    ]
    yield '<div class="tiles">'
    for figure, words in tiles:
        yield f'<div class="tile"><b>{figure}</b><span class="soft">{words}</span></div>'
    yield "</div>"


def _shares(trace: Trace) -> Iterator[str]:
    times = time_split(trace)
    tokens = tokens_by_source(trace)
    yield '<section class="pair"><div><h2>Where the text came from</h2>'
    yield from _bar([(source, count) for source, count in tokens])
    total = sum(count for _, count in tokens) or 1
    yield from _keys(
        (s, f"<b>{s}</b> {n / total:.1%} <span class=soft>{SOURCES[s]}</span>") for s, n in tokens
    )
    yield "</div><div><h2>Where the time went</h2>"
    yield from _bar(times)
    yield from _keys((name, f"<b>{name}</b> {duration(seconds)}") for name, seconds in times)
    yield "</div></section>"


def _bar(parts: Sequence[tuple[str, float]]) -> Iterator[str]:
    yield '<div class="bar">'
    yield from (f'<i class="{name}" style="flex:{amount:.6f}"></i>' for name, amount in parts)
    yield "</div>"


def _keys(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield '<ul class="keys">'
    yield from (f'<li><i class="{name}"></i>{words}</li>' for name, words in entries)
    yield "</ul>"


# --- the rounds in time --------------------------------------------------------------------------


def _chart(trace: Trace) -> Iterator[str]:
    """Each round: its width is its time, its height the tokens it wrote; below the line, rejected drafts."""
    if not trace.rounds:
        return
    begin = trace.rounds[0].start
    end = max(done.start + done.draft_seconds + done.verify_seconds for done in trace.rounds)
    across = (_CHART_WIDTH - _LEFT) / max(end - begin, 1e-9)
    most = max(sum(p.num_tokens for p in done.pieces) for done in trace.rounds)
    vain = max(done.drafted - done.accepted for done in trace.rounds)
    up = (_CHART_HEIGHT - 16) / max(most, 1)
    down = min(up, (_BELOW - 16) / max(vain, 1))
    height = _CHART_HEIGHT + vain * down + 20
    yield "<section><h2>The rounds in time <small>the width is time, the height tokens; below "
    yield "the line: rejected drafts</small></h2>"
    yield f'<svg viewBox="0 0 {_CHART_WIDTH:.0f} {height:.0f}" role="img" aria-label="Rounds in time">'
    yield '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
    yield 'patternTransform="rotate(45)"><rect width="2" height="5" style="fill:var(--rejected)"/>'
    yield "</pattern></defs>"
    for tokens in dict.fromkeys((most, most // 2)):
        y = _CHART_HEIGHT - tokens * up
        yield f'<line class="axis" x1="{_LEFT}" x2="{_CHART_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tokens}</text>'
    for number, done in enumerate(trace.rounds, 1):
        left = _LEFT + (done.start - begin) * across
        width = max((done.draft_seconds + done.verify_seconds) * across - 0.6, _LEAST_WIDTH)
        yield from _block(number, done, left, width, up, down)
    yield f'<line class="axis" x1="{_LEFT}" x2="{_CHART_WIDTH}" y1="{_CHART_HEIGHT}" y2="{_CHART_HEIGHT}"/>'
    yield f'<text x="{_LEFT}" y="{height - 3:.1f}">{duration(begin)} after the edit began</text>'
    yield f'<text x="{_CHART_WIDTH}" y="{height - 3:.1f}" text-anchor="end">{duration(end)}</text>'
    yield "</svg>"
    used = [source for source, _ in tokens_by_source(trace)]
    yield from _keys([*((s, s) for s in used), ("rejected", "drafted in vain")])
    yield "</section>"


def _block(
    number: int, done: TraceRound, left: float, width: float, up: float, down: float
) -> Iterator[str]:
    rect = f'x="{left:.2f}" width="{width:.2f}"'
    vain = done.drafted - done.accepted
    yield f'<g class="round"><title>{escape(_told(number, done))}</title>'
    yield f'<rect class="touch" {rect} y="0" height="{_CHART_HEIGHT + vain * down:.1f}"/>'
    y = _CHART_HEIGHT
    for source, count in in_a_row(done.pieces):
        y -= count * up
        yield f'<rect class="{source}" {rect} y="{y:.2f}" height="{count * up:.2f}"/>'
    if vain:
        yield f'<rect class="rejected" {rect} y="{_CHART_HEIGHT}" height="{vain * down:.2f}"/>'
    yield "</g>"


def _told(number: int, done: TraceRound) -> str:
    """A description of a round, for its tooltip."""
    text = visible_text("".join(piece.text for piece in done.pieces))
    shown = text if len(text) <= 300 else f"{text[:300]}…"
    sure = ""
    if done.chance is not None:
        sure = f"; its own token {done.chance:.0%} likely, next “{visible_text(done.rival)}”"
    return (
        f"round {number}: {done.accepted} of {done.drafted} draft tokens accepted, window "
        f"{done.window}\n{duration(done.draft_seconds)} drafting, "
        f"{duration(done.verify_seconds)} verifying behind {done.context:,} tokens{sure}\n{shown}"
    )


# --- the rounds as rows --------------------------------------------------------------------------


def _rounds(trace: Trace) -> Iterator[str]:
    drawn = rows(trace)
    if not drawn:
        return
    most = max(row.brought + row.rejected for row in drawn)
    yield "<section><h2>Round by round <small>click to show the text</small></h2>"
    yield '<div class="row head"><span class="name">round</span><i></i><span>brought</span>'
    yield "<span>in vain</span><span>time</span></div>"
    for row in drawn:
        yield from _row(row, most)
    yield "</section>"


def _row(row: RoundRow, most: int) -> Iterator[str]:
    name = str(row.first) if row.first == row.last else f"{row.first}–{row.last}"
    yield f'<details><summary class="row"><span class="name">{name}</span><div class="track">'
    for source, count in row.tokens:
        yield f'<i class="{source}" style="width:{100 * count / most:.3f}%"></i>'
    if row.rejected:
        yield f'<i class="rejected" style="width:{100 * row.rejected / most:.3f}%"></i>'
    yield f'</div><span>{row.brought:,}</span><span class="vain">{row.rejected or ""}</span>'
    yield f'<span>{duration(row.seconds)}</span></summary><div class="inside">'
    for number, done in enumerate(row.rounds, row.first):
        yield f'<div class="soft">{escape(_told(number, done).partition(chr(10))[2].partition(chr(10))[0])}'
        yield f"; window {done.window}, {done.accepted} of {done.drafted} accepted</div>"
        yield f"<pre>{_pieces(done.pieces)}{_pieces(done.rejected, rejected=True)}</pre>"
    yield "</div></details>"


def _pieces(pieces: Iterable[TracePiece], *, rejected: bool = False) -> str:
    return "".join(
        _span(piece.text, piece.source, piece.detail, rejected=rejected) for piece in pieces
    )


# --- the hunks -----------------------------------------------------------------------------------


def _hunks(trace: Trace) -> Iterator[str]:
    if not trace.hunks:
        return
    yield "<section><h2>The change <small>in the colours of its sources; pointing at a span tells "
    yield "more</small></h2>"
    for hunk in trace.hunks:
        yield from _hunk(hunk)
    yield "</section>"


def _hunk(hunk: Hunk) -> Iterator[str]:
    replaced = f"replaces {hunk.old_count} line{'s'[: hunk.old_count != 1]}"
    replaced = replaced if hunk.old_count else "inserted"
    doubt = f", suspect: {_text(hunk.suspect)}" if hunk.suspect else ""
    found = places(hunk)
    source = f"; from {_text(', '.join(found))}" if found else ""
    noted = "; ".join(filter(None, (hunk.note, *(span.text for span in hunk.note_spans))))
    doubt += f', <span class="soft">note: {_text(noted)}</span>' if noted else ""
    yield f'<div class="hunk"><h3>line {hunk.start + 1}, {replaced}{source}{doubt}</h3><pre>'
    text = []
    for index, line in enumerate(hunk.new_lines):
        spans = [origin for origin in hunk.origins if origin.line == index]
        text += [_span(line[o.start : o.end], o.source, o.detail) for o in spans]
        text += [] if spans else [escape(visible_text(line))]
    yield "".join(text) + "</pre></div>"


def _span(text: str, source: str, detail: str = "", *, rejected: bool = False) -> str:
    kind = known(source)
    told = " ".join(filter(None, [source, detail, "" if rejected else f"({SOURCES[kind]})"]))
    told = f"rejected, {told}" if rejected else told
    style = "rejected" if rejected else kind
    return f'<span class="{style}" title="{_text(told)}">{escape(visible_text(text))}</span>'


def _text(text: str) -> str:
    return escape(visible_text(text))
