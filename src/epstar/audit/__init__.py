"""Audits: exactly what a matrix loses, and what a black box can be proven to lose at least."""

from epstar.audit.black_box import AuditFailed, BlackBox, BlackBoxAudit, Command, audit_black_box
from epstar.audit.matrix import MatrixAudit, audit_matrix
from epstar.audit.power import detectable_loss, power

__all__ = [
    "AuditFailed",
    "BlackBox",
    "BlackBoxAudit",
    "Command",
    "MatrixAudit",
    "audit_black_box",
    "audit_matrix",
    "detectable_loss",
    "power",
]
