r"""Formulas of theorems as plain text for a terminal, from the little TeX that they are written in.

>>> with_formulas(r"For $D \ge 0$: $\epsilon^*_\delta(P, D) = \log\frac{(m-1)(1-D)}{D}$.")
'For D ≥ 0: ε*_δ(P, D) = log((m−1)(1−D)/D).'
"""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.")
_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ", "mu": "μ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "lambda": "λ", "varphi": "φ", "Delta": "Δ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω", "ell": "ℓ", "infty": "∞",
    "dots": "…", "int": "∫", "sum": "Σ", "bigcup": "⋃", "lfloor": "⌊", "rfloor": "⌋", "{": "{", "}": "}",
    "|": "‖", "mid": " | ", "cdot": "·", "pm": "±", ",": " ", " ": " ",
}  # fmt: skip
_RELATIONS = {
    "le": "≤", "ge": "≥", "ne": "≠", "in": "∈", "to": "→", "approx": "≈", "propto": "∝", "subseteq": "⊆",
    "times": "×", "cap": "∩", "cup": "∪",
}  # fmt: skip
_FUNCTIONS = ("log", "ln", "exp", "max", "min", "sup", "tanh", "det", "Pr")
_ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304"}
_ALPHABETS = {"mathcal": "MATHEMATICAL SCRIPT", "mathbb": "MATHEMATICAL DOUBLE-STRUCK", "mathrm": "", "mathbf": ""}
_ABOVE = str.maketrans("0123456789+−()*/abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾*ᐟᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
# A fraction of the row that is being read stands between these, until it is known what is beside it.
_OPEN, _CLOSE = "\ue000", "\ue001"
_BELOW = str.maketrans("0123456789+−()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


def with_formulas(text: str) -> str:
    """Return a text in which what stands between dollar signs is a formula, with the formulas as plain text."""
    return "".join(_Formula(part).text() if place % 2 else part for place, part in enumerate(text.split("$")))


class _Formula:
    """A reader of one formula."""

    def __init__(self, tex: str) -> None:
        self._tokens = _TOKEN.findall(tex)
        self._next = 0

    def text(self) -> str:
        """The whole formula."""
        return self._row()

    def _row(self, end: str = "") -> str:
        found = ""
        while self._next < len(self._tokens) and self._tokens[self._next] != end:
            found = _joined(found, self._scripted())
        self._next += 1
        return re.sub(r"\s+", " ", _settled(found)).strip()

    def _scripted(self) -> str:
        """An atom with what stands above and below it."""
        base, below, above = self._atom(), "", ""
        while self._next < len(self._tokens) and self._tokens[self._next] in "_^'":
            mark = self._tokens[self._next]
            self._next += 1
            if mark == "_":
                below = _script(self._argument(), _BELOW, "_")
            elif mark == "^":
                above = _script(self._argument(), _ABOVE, "^")
            else:
                above += "′"
        # A star or a prime belongs to the letter; a power stands after the index.
        return base + above + below if above in ("*", "′") else base + below + above

    def _argument(self) -> str:
        while self._next < len(self._tokens) and self._tokens[self._next].isspace():
            self._next += 1
        if self._next < len(self._tokens) and re.fullmatch(r"\d\d+", self._tokens[self._next]):
            # A command takes one digit: \frac12 is a half.
            self._tokens[self._next : self._next + 1] = list(self._tokens[self._next])
        return self._atom().strip(_OPEN + _CLOSE)

    def _atom(self) -> str:
        if self._next >= len(self._tokens):
            return ""
        token = self._tokens[self._next]
        self._next += 1
        if token == "{":
            return self._row("}")
        if token.startswith("\\"):
            return self._command(token[1:])
        if token in "=<>":
            return f" {token} "
        return "−" if token == "-" else " " if token.isspace() else token

    def _command(self, name: str) -> str:
        if name == "frac":
            return f"{_OPEN}{_whole(self._argument())}/{_whole(self._argument(), is_below=True)}{_CLOSE}"
        if name == "binom":
            return f"C({self._argument()}, {self._argument()})"
        if name == "sqrt":
            return f"√({self._argument()})"
        if name in ("left", "right"):
            return self._argument()
        if name in _ACCENTS:
            return self._argument() + _ACCENTS[name]
        if name in _ALPHABETS:
            return "".join(_lettered(letter, _ALPHABETS[name]) for letter in self._argument())
        if name in _RELATIONS:
            return f" {_RELATIONS[name]} "
        return _SYMBOLS.get(name, name)


def _joined(before: str, after: str) -> str:
    """Two parts of a row: a function stands apart from letters and numbers."""
    if before.endswith(_FUNCTIONS) and re.match(r"[\w√Σ∫]", after):
        return f"{before} {after}"
    if after in _FUNCTIONS and re.search(rf"[\w)}}*⁰-⁾{_CLOSE}]$", before):
        return f"{before} {after}"
    return before + after


def _settled(row: str) -> str:
    """A row whose fractions are in parentheses after a function, and apart from a factor that follows."""
    after = rf"({'|'.join(_FUNCTIONS)})([₀-₉]*)\s*{_OPEN}([^{_CLOSE}]*){_CLOSE}"
    row = re.sub(after, r"\1\2(\3)", row)
    row = re.sub(rf"{_CLOSE}\s*(?=[\w(√])(?!{'|'.join(_FUNCTIONS)})", " · ", row)
    return row.replace(_OPEN, "").replace(_CLOSE, "")


def _script(argument: str, letters: dict[int, int], mark: str) -> str:
    """What stands above or below, in small letters where there are some for all of it."""
    plain = argument.replace(" ", "")
    small = plain.translate(letters)
    if all(ord(letter) in letters for letter in plain):
        return small
    return mark + (plain if re.fullmatch(r"[A-Z]+|[a-z]{3,}|.", plain) else f"({plain})")


def _whole(argument: str, *, is_below: bool = False) -> str:
    """A side of a fraction, in parentheses where it would fall apart."""
    falls_apart = r"[\s+−/|]" if not is_below else r"[\s+−/|]|\)\(|\w\w|\w\("
    return f"({argument})" if re.search(falls_apart, _outside(argument)) else argument


def _outside(argument: str) -> str:
    """What is not within parentheses; empty ones stay in their place."""
    kept, depth = "", 0
    for letter in argument:
        depth -= letter in ")]}⌋"
        if depth == 0:
            kept += letter
        depth += letter in "([{⌊"
    return kept


def _lettered(letter: str, alphabet: str) -> str:
    if not alphabet or not letter.isascii() or not letter.isupper():
        return letter
    for name in (f"{alphabet} CAPITAL {letter}", f"{alphabet.split()[1]} CAPITAL {letter}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter
