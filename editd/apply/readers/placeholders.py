"""Lone comments of a sketch (pasted code) that may stand for code that stays, in any human language: by their shape, and by their words. A location is a code block's number and a line of it.

A *lone* comment is one line that the file does not have, with no comment beside it. It stands for code if nothing
follows it in its block, or a paragraph of its own is at a location where code goes. Words say it in the languages of
``_REST`` and ``_STAYS``. English words are known to ``paste.markers``; a comment that begins with dots needs neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.apply.paste.markers import Markers
from editd.apply.paste.recognise import CodeBlock
from editd.apply.reading import ChangedLines
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import indent_of, likeness
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak

_TAKEN = "“{}” is taken for code that stays; look whether it is a comment."
_STANDS = "“{}” may stand for lines that would go here; look whether they should."
_MOST_LONG = 120  # characters of a comment that may be a placeholder
_MOST_WORDS = 10
_VERSION = 0.8  # least likeness of a line to the one that it is a version of
_FEWEST = 2  # lines of code that go where a comment stands for them
_COMMENT = re.compile(
    r"(?P<open>\#(?![\[!{])|//(?!/)|/\*(?!\*)|<!--|\{/\*|\(\*|--(?!-)|;+(?!;)|%)\s*(?P<text>.*?)\s*(?P<close>-->|\*/\}?|\*\))?\s*$"
)
_GOES_ON = re.compile(r"\s*(?:/\*|\*(?!\*?[\w(])|<!--(?!.*-->))")  # a comment of several lines
_PROSE = ("markdown", "text", "rst")
# Signs that begin comments in these languages alone.
_SIGNS = {
    "#": (
        *("python", "ruby", "bash", "zsh", "fish", "yaml", "toml", "ini", "perl", "r", "julia"),
        *("elixir", "nix", "hcl", "makefile", "dockerfile", "cmake", "powershell", "graphql"),
        *("nginx", "just", "gitignore", "php", ""),
    ),
    "-": ("sql", "lua", "haskell", "elm", "ada", ""),
    ";": ("ini", "clojure", "elisp", "asm"),
    "%": ("latex", "erlang"),
}
_DIRECTIVE = re.compile(
    r"\s*(?:[@!:]|(?:todo|fixme|xxx|hack|note|noqa|pylint|pragma|type:|eslint|prettier|istanbul|c8|biome|ts-|mypy|ruff|"
    r"nosec|nolint|lint|region|endregion|end\b|fall ?-?through|endif|noop|no-op|ignore|nothing|empty|intentionally|"
    r"copyright|spdx|vim:|include|define|if|else)\b)",
    re.IGNORECASE,
)

# What says that something is left, and that it is as it was: one of each in a comment of few words.
_REST = re.compile(
    r"其余|其他|其它|剩余|剩下|后续|後續|以下|现有|現有|原有|原来|原來|已有|之前|余下|下面|上面|前面|此处|其餘|剩餘|保留|"
    r"残り|既存|その他|他の|以降|それ以外|元の|以外|同上|나머지|기존|이하|이후|다른|그 외|이전|"
    r"остальн|существующ|прежн|остаток|дальше|далее|прочее|оставш|предыдущ|решта|інш|існуюч|далі|"
    r"\b(?:rest(?:lich\w*)?|übrig\w*|bestehend\w*|vorhanden\w*|bisherig\w*|weiter\w*|alles ander\w*|ander\w*|sonst\w*|"
    r"reste|suite|autres?|existant\w*|restant\w*|précédent\w*|"
    r"resto|demás|existente\w*|anterior\w*|otr[oa]s?|siguiente\w*|restante\w*|demais|outr[oa]s?|"
    r"rimanent\w*|esistent\w*|precedent\w*|altr[ieoa]|overige\w*|resterend\w*|bestaand\w*|vorige|andere|"
    r"reszta|reszty|pozostał\w*|istniejąc\w*|dalej|dalsz\w*|inne|poprzedni\w*|"
    r"geri kalan\w*|kalan\w*|mevcut|diğer\w*|önceki|devam\w*|"
    r"resten|övrig\w*|øvrig\w*|befintlig\w*|eksisterende|andra|zbytek|zbývající\w*|ostatní\w*|stávající\w*|zvyšok|"
    r"phần còn lại|còn lại|hiện có|khác|sisa\w*|lainnya|yang ada|sebelumnya|"
    r"the rest|remainder|remaining|existing|everything else|all else|more code|other code|previous(?:ly)?|original)\b|"
    r"باقي|بقية|شेष|बाकी",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"不变|不變|保持|相同|一样|一樣|省略|代码|代碼|程式碼|逻辑|邏輯|照旧|不动|略|未变|未修改|无变化|無變更|无需修改|"
    r"変更なし|同じ|そのまま|変わら|コード|同様|のまま|동일|생략|그대로|변경|코드|유지|같|"
    r"без измен|не измен|не меня|так же|также|как было|прежн|сохран|оста[её]тся|тот же|код|пропущен|опущен|без змін|незмінн|так само|"
    r"\b(?:unverändert\w*|wie (?:bisher|vorher|zuvor|gehabt)|bleib\w*|gleich|identisch\w*|ausgelassen|weggelassen|gekürzt|"
    r"inchangé\w*|identique\w*|(?:ne )?chang\w+ pas|mêmes?|pareil\w*|omis\w*|tel(?:s|le|les)? quel\w*|comme avant|sans (?:changement|modification)\w*|"
    r"igual\w*|sin (?:cambios|modific\w*)|no cambia\w*|mism[oa]s?|sigue\w*|omitid\w*|permanece\w*|se mantiene\w*|"
    r"sem (?:alter\w*|mudan\w*)|inalterad\w*|continua\w*|mantém|mantid\w*|"
    r"invariat\w*|uguale|come prima|stess[oa]|non cambia\w*|omess\w*|immutat\w*|riman\w*|"
    r"ongewijzigd\w*|hetzelfde|blijft|blijven|onveranderd\w*|zoals (?:het )?(?:was|voorheen)|weggelaten|gelijk|"
    r"bez zmian\w*|niezmienion\w*|taki sam\w*|tak samo|pominięt\w*|jak (?:wcześniej|było)|zostaje|"
    r"aynı\w*|değişme\w*|değişiklik\w*|atlan\w*|kalıyor|kalacak|"
    r"oförändra\w*|uændre\w*|uendre\w*|samma|samme|som (?:før|innan|förut)|beze změn\w*|stejn\w*|nezměněn\w*|bez zmien|"
    r"giữ nguyên|không (?:thay )?đổi|như cũ|tetap|tidak berubah|sama|"
    r"code|codice|código|kode\w*|kod\w*|kód\w*|mã|methoden|métodos|méthodes|funktionen|funciones|fonctions|functies|funzioni|"
    r"stays?|remains?|unchanged|as (?:it )?(?:was|is|before)|the same|omitted|untouched)\b|"
    r"كما هو|دون تغيير|الكود|अपरिवर्तित|वैसा|समान|कोड",
    re.IGNORECASE,
)
# What says both by itself.
_ALONE = re.compile(
    r"[\W_]*(?:省略|略|不变|不變|保持不变|同上|以下省略|以下略|中略|後略|前略|変更なし|생략|변경 없음|변경없음|동일|без изменений|пропущено|опущено|"
    r"без змін|unverändert|wie (?:bisher|vorher|zuvor|gehabt)|inchangé\w*|sans changement|sin cambios|igual que antes|"
    r"sem alterações|inalterado|invariato|come prima|ongewijzigd|bez zmian|aynı(?: kalıyor| kalacak)?|değişmedi|oförändrat|uændret|uendret|"
    r"beze změny|không đổi|giữ nguyên|tidak berubah|etc\.?|and so on|more code(?: here)?|code continues|usw\.?|и т\.? ?д\.?|等|など)[\W_]*",
    re.IGNORECASE,
)


class Placeholders:
    """The lone comments of an answer's code blocks, each as its block and line (``lone``), and those of them that stand for code (``taken``)."""

    def __init__(self, code_blocks: Sequence[CodeBlock], lines: FileLines) -> None:
        self.code_blocks, self.lines = code_blocks, lines
        self.lone = [
            (number, at)
            for number, block in enumerate(code_blocks)
            for at in self._lone_comments(block)
        ]
        self.taken: list[tuple[int, int]] = []
        self._certain: list[tuple[int, int]] = []
        self._replacing: list[tuple[int, int]] = []

    def weigh(self, changes: Sequence[ChangedLines]) -> None:
        """Set ``taken``, the lone comments that stand for code: by their words, or by their shape. By its shape a
        comment does if it ends its block, or if blank lines are around it and either lines of code would go for it or
        it would stand beside other lines in the file than in the paste.

        Without doubt are those whose words say so, and that have this shape or would take lines of code away; all are
        remembered for ``doubt``, ``warning`` and ``as_markers``, which are of use only afterwards. changes: those of
        the reading in which all of them are comments.
        """
        after = self._lines_after(changes)
        self._replacing = [
            location for location in self.lone if self._takes_away(changes, location)
        ]
        worded = {location for location in self.lone if is_worded(self._line(location))}
        shaped = {
            location
            for location in self.lone
            if self._ends_block(location)
            or (
                self._is_apart(location)
                and (location in self._replacing or self._would_move(after, location))
            )
        }
        self.taken = [location for location in self.lone if location in worded | shaped]
        self._certain = [*worded & (shaped | {*self._replacing})]

    @property
    def doubt(self) -> str:
        """A sentence about a taken comment that may be none of code; empty if words and shape say of each that it stands for code."""
        doubtful = [location for location in self.taken if location not in self._certain]
        return _TAKEN.format(self._line(doubtful[0]).strip()[:60]) if doubtful else ""

    @property
    def warning(self) -> str:
        """A sentence about a comment that may stand for code, for when all are read as comments; empty if nothing speaks against that."""
        doubtful = self._replacing or [x for x in self.taken if is_worded(self._line(x))]
        return _STANDS.format(self._line(doubtful[0]).strip()[:60]) if doubtful else ""

    def as_markers(self, *, doubtful: bool = False) -> list[CodeBlock]:
        """Copies of the code blocks with markers of dots in the place of the comments that are ``taken``; if
        ``doubtful``, also of those for which lines of code would go. Of use only after ``weigh``.
        """
        locations = {*self.taken, *(self._replacing if doubtful else ())}
        found = []
        for number, block in enumerate(self.code_blocks):
            rows = list(block.lines)
            for at in (at for block, at in locations if block == number):
                comment = _COMMENT.match(rows[at].strip())
                sign, close = ("#", "") if comment is None else comment.group("open", "close")
                rows[at] = f"{indent_of(rows[at])}{sign} ... {close or ''}".rstrip()
            found.append(replace(block, lines=tuple(rows)))
        return found

    def _line(self, location: tuple[int, int]) -> str:
        """The comment at a block and line."""
        return self.code_blocks[location[0]].lines[location[1]]

    def _lone_comments(self, block: CodeBlock) -> Iterator[int]:
        """The numbers of a code block's lines that are a short comment in words, no marker and not the file's, with no
        other comment in the line above or below.
        """
        is_marker, rows = Markers(self.lines), block.lines
        for number, row in enumerate(rows):
            beside = (*rows[max(0, number - 1) : number], *rows[number + 1 : number + 2])
            if (
                _is_comment(row, self.lines.language)
                and not is_marker(row)
                and row.strip() not in self.lines.where_bare
                and not any(_is_remark(x, self.lines.language) or _GOES_ON.match(x) for x in beside)
            ):
                yield number

    def _ends_block(self, location: tuple[int, int]) -> bool:
        """Whether nothing but a closing bracket, or less deep lines, follow a comment in its code block; true at its
        end. location: its block and line.
        """
        row = self._line(location)
        rest = self.code_blocks[location[0]].lines[location[1] + 1 :]
        below = next((x for x in rest if x.strip()), None)
        if below is None:
            return True
        more = len(indent_of(below)) - len(indent_of(row))
        return more < 0 or (more == 0 and is_weak(below) and below.strip()[0] in ")]}")

    def _is_apart(self, location: tuple[int, int]) -> bool:
        """Whether neither the line right above a comment nor the one right below, in its code block, has any text.
        location: its block and line.
        """
        rows, at = self.code_blocks[location[0]].lines, location[1]
        beside = (*rows[max(0, at - 1) : at], *rows[at + 1 : at + 2])
        return not any(row.strip() for row in beside)

    def _lines_after(self, changes: Sequence[ChangedLines]) -> list[str]:
        """The lines that the file has once ``changes`` (in any order) are made, in its order, without the blanks
        around them and without blank lines.
        """
        rows: list[str] = []
        position = 0
        for change in sorted(changes, key=lambda x: (x.start, x.end)):
            rows += [*self.lines.keys[position : change.start], *change.new]
            position = change.end
        return [x.strip() for x in (*rows, *self.lines.keys[position:]) if x.strip()]

    def _would_move(self, after: Sequence[str], location: tuple[int, int]) -> bool:
        """Whether a comment would stand beside other lines in the file than in its code block, blank lines aside.

        after: the file's lines after the changes, stripped, without blank ones. False if they do not have the comment
        exactly once. A comment that begins its block moves unless it begins the file; one that ends its block always does.
        location: its block and line.
        """
        rows, at = self.code_blocks[location[0]].lines, location[1]
        above = next((x.strip() for x in reversed(rows[:at]) if x.strip()), None)
        below = next((x.strip() for x in rows[at + 1 :] if x.strip()), None)
        comment = rows[at].strip()
        if after.count(comment) != 1:
            return False
        number = after.index(comment)
        if above is None:  # it begins the block
            return number > 0
        return after[number - 1 : number] != [above] or after[number + 1 : number + 2] != [below]

    def _takes_away(self, changes: Sequence[ChangedLines], location: tuple[int, int]) -> bool:
        """Whether two or more lines of code go where a comment is all that takes their place.

        New lines before and after it may be versions of the first and the last lines that go. False if comments go as
        well and there are such new lines. location: the comment's block and line.
        """
        comment, language = self._line(location).strip(), self.lines.language
        for change in changes:
            old, new = self.lines.keys[change.start : change.end], [x.rstrip() for x in change.new]
            for part in differences(old, new):
                fresh = [x.strip() for x in new[part.new_start : part.new_end] if x.strip()]
                if fresh.count(comment) != 1:
                    continue
                above, below = fresh[: fresh.index(comment)], fresh[fresh.index(comment) + 1 :]
                rows = [x.strip() for x in old[part.old_start : part.old_end] if not is_weak(x)]
                code = [x for x in rows if not _is_remark(x, language)]
                if len(code) < len(rows) and (above or below):
                    continue  # comments that it is a version of
                if len(code) - len(above) - len(below) >= _FEWEST and all(
                    likeness(x, y, _VERSION)
                    for row, other in ((above, code), (below[::-1], code[::-1]))
                    for x, y in zip(row, other, strict=False)
                ):
                    return True
        return False


def _is_remark(line: str, language: str) -> bool:
    """Whether a line is nothing but a whole comment by the signs of ``language``; false in prose, and for a comment
    that does not end in the line.
    """
    found = _COMMENT.match(line.strip())
    if found is None or language in _PROSE:
        return False
    sign = found["open"]
    if sign in ("/*", "<!--", "{/*", "(*") and not found["close"]:
        return False
    return sign[0] not in _SIGNS or language in _SIGNS[sign[0]]


def _is_comment(line: str, language: str) -> bool:
    """Whether a line is nothing but a comment with letters, of 120 characters at most, and no directive for a tool."""
    found = _COMMENT.match(line.strip())
    if found is None or len(line) > _MOST_LONG or not _is_remark(line, language):
        return False
    text = found["text"]
    return any(map(str.isalpha, text)) and not _DIRECTIVE.match(text)


def is_worded(line: str) -> bool:
    """Whether a comment, or the whole of a line without a comment sign, says in words of some language that something
    stays: a phrase that says so alone, or, in ten words at most, a word for the rest and one for staying.
    """
    found = _COMMENT.match(line.strip())
    text = found["text"] if found is not None else line
    if _ALONE.fullmatch(text):
        return True
    is_short = len(text.split()) <= _MOST_WORDS
    return is_short and _REST.search(text) is not None and _STAYS.search(text) is not None
