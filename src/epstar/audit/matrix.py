"""The exact audit of a mechanism that is known: every loss with its witness, and how far it is from the best."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.distortion import Distortion, Hamming
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import Real
from epstar.frontier import Answer, Frontier
from epstar.mechanism import AnyMechanism
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, Loss, MaximalLeakage, Notion
from epstar.release.guarantee import Guarantee, guarantees
from epstar.secret import Secret, check_secret
from epstar.source import Everything, Maximum, RowsMaximum, Source
from epstar.universe import Label

# The optimum is a program of as many variables, which would take hours beyond this.
_LARGEST = 1 << 14


@dataclass(frozen=True)
class MatrixAudit:
    """What a mechanism loses and spoils.

    `distortion` is the worst over the source, and `optimum` the least loss by `notion` of any mechanism with the same;
    each is None, and `reason` says why, where it cannot be computed. `excess` is what the mechanism loses beyond the
    optimum: a proven lower bound, in nats.

    >>> from epstar import Mechanism
    >>> from epstar.audit import audit_matrix
    >>> found = audit_matrix(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> found.guarantees[0].notion.name, found.excess
    ('differential_privacy', 0.0)
    """

    mechanism: AnyMechanism
    notion: Notion
    guarantees: tuple[Guarantee, ...]
    distortion: Maximum | RowsMaximum | None
    optimum: Answer | None
    excess: float | None
    reason: str
    secret: Secret | None = None
    """What the losses are about, if that is not the input itself."""

    def loss(self, notion: Notion) -> Loss | None:
        """Return the loss by one of the notions that were measured, else None."""
        return next((found.loss for found in self.guarantees if found.notion == notion), None)

    def witness(self, notion: Notion) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Return the labels of the inputs and outputs at which the loss by a notion is attained."""
        found = self.loss(notion)
        if found is None:
            return (), ()
        protected = self.mechanism.universe if self.secret is None else self.secret.universe
        inputs = tuple(protected.label(x) for x in found.witness.inputs)
        return inputs, tuple(self.mechanism.outputs[y] for y in found.witness.outputs)


def audit_matrix(
    mechanism: AnyMechanism,
    source: Source | None = None,
    distortion: Distortion | None = None,
    notion: Notion | None = None,
    secret: Secret | None = None,
) -> MatrixAudit:
    """Return the audit of a mechanism by every notion, and its distance from the optimum by one of them.

    Without a source nothing is known of the inputs; the distortion is Hamming and the notion differential
    privacy unless they are given. Cost: the losses, and one frontier problem up to 16,384 entries, or of any size where
    the optimum has a closed form. With a `secret` losses are those about it, which needs a prior or a finite list.

    >>> from epstar.mechanism import Mechanism
    >>> audit = audit_matrix(Mechanism([["3/4", "1/4"], ["1/8", "7/8"]]))
    >>> str(audit.loss(DifferentialPrivacy()).upper), audit.witness(DifferentialPrivacy())
    ('log(6)', ((0, 1), (0,)))
    """
    known = Everything(mechanism.shape[0]) if source is None else source
    cost = Hamming() if distortion is None else distortion
    measure = DifferentialPrivacy() if notion is None else notion
    if secret is not None:
        check_secret(secret, (measure,), known, mechanism.shape[0])
    found = guarantees(mechanism, known, (measure,), secret)
    try:
        spoilt = mechanism.distortion(cost, known)
    except InvalidInput as error:  # outputs that are no inputs, for instance, have no Hamming cost
        return MatrixAudit(mechanism, measure, found, None, None, None, str(error), secret)
    optimum, excess, reason = None, None, ""
    has_closed_form = secret is None and _has_closed_form(measure, known, cost)
    if mechanism.shape[0] * mechanism.shape[1] > _LARGEST and not has_closed_form:
        large = "the matrix is too large for the optimum"
        return MatrixAudit(mechanism, measure, found, spoilt, None, None, large, secret)
    try:
        optimum = Frontier(measure, known, cost, mechanism.universe, secret=secret).loss_at(distortion=spoilt.value)
        excess = _excess(found[0].loss, optimum)
    except EpstarError as error:
        reason = str(error)
    return MatrixAudit(mechanism, measure, found, spoilt, optimum, excess, reason, secret)


def _has_closed_form(notion: Notion, source: Source, distortion: Distortion) -> bool:
    """Whether the optimum is known for any number of inputs."""
    ranked = isinstance(notion, DifferentialPrivacy | ApproximateDifferentialPrivacy | MaximalLeakage)
    return ranked and isinstance(distortion, Hamming) and source.flattest is not None


def _excess(loss: Loss | None, optimum: Answer) -> float | None:
    """What is lost beyond the best mechanism, at least; None where the loss is not known."""
    if loss is None or loss.lower is None:
        return None
    if loss.lower.is_infinite:
        return 0.0 if optimum.interval.upper.is_infinite else float("inf")
    gap: Real = loss.lower - optimum.interval.upper
    return max(0.0, gap.lower)
