"""The five papers as executable theorems: one folder per paper, one object per claim."""

from epstar.papers.theorem import Case, Counterexample, Examination, Relation, Theorem, Verdict, examine

__all__ = ["Case", "Counterexample", "Examination", "Relation", "Theorem", "Verdict", "examine"]
