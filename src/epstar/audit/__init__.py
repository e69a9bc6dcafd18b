"""Audits: exactly what a matrix loses, and what a black box can be proven to lose at least."""

from epstar.audit.black_box import AuditFailed, BlackBox, BlackBoxAudit, Command, audit_black_box
from epstar.audit.matrix import MatrixAudit, audit_matrix
from epstar.audit.power import detectable_loss, power
from epstar.audit.sequential import SequentialAudit, audit_sequentially
from epstar.audit.table import TableAudit, audit_table

__all__ = [
    "AuditFailed",
    "BlackBox",
    "BlackBoxAudit",
    "Command",
    "MatrixAudit",
    "SequentialAudit",
    "TableAudit",
    "audit_black_box",
    "audit_matrix",
    "audit_sequentially",
    "audit_table",
    "detectable_loss",
    "power",
]
