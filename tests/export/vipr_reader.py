"""A reader of VIPR certificates (Cheung, Gleixner and Steffy, Verifying integer programming results, IPCO 2017).

It reads linear programs without integers, checks that every solution is feasible, that every derived constraint is a
suitable linear combination of constraints before it, and that the claimed range of the optimum follows. It knows
nothing of epstar.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

Terms = dict[int, Fraction]


class NotVerifiedError(Exception):
    """The certificate does not prove what it claims."""


@dataclass(frozen=True)
class Constraint:
    """terms, sense ("G", "L" or "E"), bound."""

    sense: str
    bound: Fraction
    terms: Terms

    def value(self, solution: Terms) -> Fraction:
        return sum((c * solution.get(v, Fraction(0)) for v, c in self.terms.items()), Fraction(0))

    def holds(self, solution: Terms) -> bool:
        value = self.value(solution)
        return {"G": value >= self.bound, "L": value <= self.bound, "E": value == self.bound}[self.sense]


@dataclass
class Certificate:
    """A linear program, its solutions, and the constraints that were derived."""

    variables: list[str]
    minimise: bool
    objective: Terms
    constraints: list[Constraint]
    lower: Fraction | None = None
    upper: Fraction | None = None
    infeasible: bool = False
    solutions: list[Terms] = field(default_factory=list)
    derived: list[tuple[Constraint, Terms]] = field(default_factory=list)


class Words:
    """The words of a file, one after the other."""

    def __init__(self, text: str) -> None:
        lines = (line for line in text.splitlines() if not line.startswith("%"))
        self._words: Iterator[str] = iter(" ".join(lines).split())

    def next(self) -> str:
        word = next(self._words, None)
        if word is None:
            raise NotVerifiedError("The file ends too early.")
        return word

    def expect(self, *words: str) -> None:
        for word in words:
            found = self.next()
            if found != word:
                raise NotVerifiedError(f"{word} was expected, {found} found.")

    def terms(self, objective: Terms) -> Terms:
        count = self.next()
        if count == "OBJ":
            return dict(objective)
        found: Terms = {}
        for _ in range(int(count)):
            place = int(self.next())
            found[place] = Fraction(self.next())
        return found

    def constraint(self, objective: Terms) -> Constraint:
        sense, bound = self.next(), Fraction(self.next())
        if sense not in ("G", "L", "E"):
            raise NotVerifiedError(f"{sense} is no sense of a constraint.")
        return Constraint(sense, bound, self.terms(objective))


def read_vipr(text: str) -> Certificate:
    """Return the certificate that a file holds."""
    words = Words(text)
    words.expect("VER", "1.0", "VAR")
    variables = [words.next() for _ in range(int(words.next()))]
    words.expect("INT", "0", "OBJ")
    minimise = {"min": True, "max": False}[words.next()]
    objective = words.terms({})
    words.expect("CON")
    count, _ = int(words.next()), words.next()
    constraints = []
    for _ in range(count):
        words.next()
        constraints.append(words.constraint(objective))
    found = Certificate(variables, minimise, objective, constraints)
    words.expect("RTP")
    if words.next() == "infeas":
        found.infeasible = True
    else:
        lower, upper = words.next(), words.next()
        found.lower = None if lower == "-inf" else Fraction(lower)
        found.upper = None if upper == "inf" else Fraction(upper)
    words.expect("SOL")
    for _ in range(int(words.next())):
        words.next()
        found.solutions.append(words.terms(objective))
    words.expect("DER")
    for _ in range(int(words.next())):
        words.next()
        constraint = words.constraint(objective)
        words.expect("{", "lin")
        found.derived.append((constraint, words.terms(objective)))
        words.expect("}")
        words.next()
    return found


def verify(certificate: Certificate) -> None:
    """Check everything that a certificate says.

    Raises:
        NotVerifiedError: if something does not follow.
    """
    for solution in certificate.solutions:
        if not all(constraint.holds(solution) for constraint in certificate.constraints):
            raise NotVerifiedError("A solution is not feasible.")
    known = list(certificate.constraints)
    for constraint, multiples in certificate.derived:
        if not dominates(combined(multiples, known, constraint.sense), constraint):
            raise NotVerifiedError("A derived constraint does not follow.")
        known.append(constraint)
    values = [Constraint("E", Fraction(0), certificate.objective).value(solution) for solution in certificate.solutions]
    proven = known[-1] if certificate.derived else None
    sense, dual, primal = ("G", certificate.lower, certificate.upper)
    if not certificate.minimise:
        sense, dual, primal = "L", certificate.upper, certificate.lower
    if certificate.infeasible:
        if proven is None or not dominates(proven, Constraint("G", Fraction(1), {})):
            raise NotVerifiedError("Infeasibility does not follow.")
        return
    if dual is not None and (proven is None or not dominates(proven, Constraint(sense, dual, certificate.objective))):
        raise NotVerifiedError("The bound on the optimum does not follow.")
    best = min(values, default=None) if certificate.minimise else max(values, default=None)
    if primal is not None and (best is None or (best > primal if certificate.minimise else best < primal)):
        raise NotVerifiedError("No solution is as good as claimed.")


def combined(multiples: Terms, known: list[Constraint], sense: str) -> Constraint:
    """Return a linear combination that is "G" or "L", where the signs of its multiples allow that."""
    terms: Terms = {}
    bound = Fraction(0)
    for place, multiple in multiples.items():
        one = known[place]
        wanted = sense if multiple > 0 else {"G": "L", "L": "G", "E": "E"}[sense]
        if multiple != 0 and one.sense not in ("E", wanted):
            raise NotVerifiedError("A multiple has the wrong sign.")
        bound += multiple * one.bound
        for variable, value in one.terms.items():
            terms[variable] = terms.get(variable, Fraction(0)) + multiple * value
    return Constraint(sense, bound, {variable: value for variable, value in terms.items() if value != 0})


def dominates(stronger: Constraint, weaker: Constraint) -> bool:
    """Whether one constraint implies another on the same terms, or is absurd."""
    absurd = {"G": stronger.bound > 0, "L": stronger.bound < 0, "E": stronger.bound != 0}[stronger.sense]
    if not stronger.terms and absurd:
        return True
    if stronger.terms != {v: c for v, c in weaker.terms.items() if c != 0} or stronger.sense not in (weaker.sense, "E"):
        return False
    return stronger.bound >= weaker.bound if weaker.sense == "G" else stronger.bound <= weaker.bound
