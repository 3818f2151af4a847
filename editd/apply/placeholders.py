"""Which comments of a sketch stand for code that stays, in any human language: by their shape, and by their words.

A *lone* comment is one line that the file does not have, with no comment beside it. It stands for code if nothing
follows it in its block, or a paragraph of its own is at a place where code goes. Words say it in the languages of
``_REST`` and ``_STAYS``. English words are known to ``sketch``; a comment that begins with dots needs neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.apply.lines import Lines, indent_of
from editd.apply.outcome import Change
from editd.apply.recognise import Step
from editd.apply.sketch import Markers
from editd.diff.matching import changes, is_weak

DOUBTED = "“{}” is taken for code that stays; look whether it is a comment."
STANDS = "“{}” may stand for lines that would go here; look whether they should."
_MOST_LONG = 120  # characters of a comment that may be a placeholder
_FEWEST = 2  # lines of code that go where a comment stands for them
_HASHED = (
    *("python", "ruby", "bash", "zsh", "fish", "yaml", "toml", "ini", "perl", "r", "julia", "elixir", "nix", "hcl"),
    *("makefile", "dockerfile", "cmake", "powershell", "graphql", "nginx", "just", "gitignore", "php", ""),
)
_COMMENT = re.compile(
    r"(?P<open>\#(?![\[!{])|//(?!/)|/\*(?!\*)|<!--|\{/\*|\(\*|--(?!-)|;+(?!;)|%)\s*(?P<text>.*?)\s*(?P<close>-->|\*/\}?|\*\))?\s*$"
)
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
_MOST_WORDS = 10


def lone_comments(step: Step, lines: Lines) -> Iterator[int]:
    """The numbers of lines of a code block that are lone comments."""
    is_marker, shown = Markers(lines), step.lines
    for number, line in enumerate(shown):
        beside = (*shown[max(0, number - 1) : number], *shown[number + 1 : number + 2])
        if (
            _is_comment(line, lines)
            and not is_marker(line)
            and line.strip() not in lines.where_bare
            and not any(_is_comment(x, lines) or _opens_comment(x) for x in beside)
        ):
            yield number


def _is_comment(line: str, lines: Lines) -> bool:
    found = _COMMENT.match(line.strip())
    if found is None or len(line) > _MOST_LONG:
        return False
    language, sign, text = lines.language, found["open"], found["text"]
    if sign in ("/*", "<!--", "{/*", "(*") and not found["close"]:
        return False
    if sign == "#" and language not in _HASHED:
        return False
    if sign == "--" and language not in ("sql", "lua", "haskell", "elm", "ada", ""):
        return False
    if sign[0] in ";%" and language not in ("ini", "clojure", "elisp", "latex", "erlang", "asm"):
        return False
    return any(map(str.isalpha, text)) and not _DIRECTIVE.match(text) and language not in ("markdown", "text", "rst")


def _opens_comment(line: str) -> bool:
    """Whether a line belongs to a comment of several lines."""
    return re.match(r"\s*(?:/\*|\*(?!\*?[\w(])|<!--(?!.*-->))", line) is not None


def is_worded(line: str) -> bool:
    """Whether a comment says in words of some language that something stays."""
    found = _COMMENT.match(line.strip())
    text = found["text"] if found is not None else line
    if _ALONE.fullmatch(text):
        return True
    few = len(text.split()) <= _MOST_WORDS
    return few and _REST.search(text) is not None and _STAYS.search(text) is not None


def ends_block(step: Step, number: int) -> bool:
    """Whether nothing follows a line in its block."""
    line = step.lines[number]
    below = next((x for x in step.lines[number + 1 :] if x.strip()), None)
    if below is None:
        return True
    less = len(indent_of(below)) - len(indent_of(line))
    return less < 0 or (less == 0 and is_weak(below) and below.strip()[0] in ")]}")


def stands_apart(step: Step, number: int) -> bool:
    """Whether a line is a paragraph of its own."""
    around = (*step.lines[max(0, number - 1) : number], *step.lines[number + 1 : number + 2])
    return not any(x.strip() for x in around)


def as_markers(step: Step, numbers: Sequence[int]) -> Step:
    """The code block with markers of dots in the place of some lines."""
    shown = list(step.lines)
    for number in numbers:
        line = shown[number]
        found = _COMMENT.match(line.strip())
        sign, close = (found["open"], found["close"] or "") if found is not None else ("#", "")
        shown[number] = f"{indent_of(line)}{sign} ... {close}".rstrip()
    return replace(step, lines=tuple(shown))


def takes_away(found: Sequence[Change], line: str, lines: Lines) -> bool:
    """Whether lines of code go where a comment is all that comes."""
    for one in found:
        there, new = lines.keys[one.start : one.end], [x.rstrip() for x in one.new]
        for part in changes(there, new):
            come = [x.strip() for x in new[part.new_start : part.new_end] if x.strip()]
            gone = [x for x in there[part.old_start : part.old_end] if not is_weak(x) and not _is_comment(x, lines)]
            if come == [line.strip()] and len(gone) >= _FEWEST:
                return True
    return False
