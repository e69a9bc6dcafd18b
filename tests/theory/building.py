"""The theory, built once, and the verdict of Coq on a file that uses it."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
THEORY = ROOT / "theory"
BUILT = ROOT / "build" / "theory"

# What Coq's real numbers rest on (Coq.Reals), and nothing else.
AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
NEEDED = "coqc is missing: run `make coq`, or install it with `apt-get install coq`."


@dataclass(frozen=True)
class Verdict:
    """What Coq says of a file."""

    accepted: bool
    said: str

    @property
    def axioms(self) -> set[str]:
        """The axioms that `Print Assumptions` listed: their names stand at the beginning of lines."""
        lines = [line for line in self.said.splitlines() if line and not line[0].isspace()]
        return {line.split(" ")[0].rstrip(":") for line in lines if line not in ("Axioms:", "")}


@cache
def built_theory() -> Path:
    """Build what is not built yet, as `make theory` does, and return the folder."""
    assert shutil.which("coqc"), NEEDED
    BUILT.mkdir(parents=True, exist_ok=True)
    for file in [*THEORY.glob("*.v"), THEORY / "_CoqProject"]:
        copy = BUILT / file.name
        if not copy.exists() or copy.read_bytes() != file.read_bytes():
            shutil.copyfile(file, copy)
    subprocess.run(
        ["coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq"], cwd=BUILT, check=True, capture_output=True
    )
    done = subprocess.run(["make", "-s", "-f", "Makefile.coq"], cwd=BUILT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return BUILT


def judged(text: str, folder: Path, name: str = "answer") -> Verdict:
    """Let Coq judge a file."""
    file = folder / f"{name}.v"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["coqc", "-q", "-R", str(built_theory()), "Epstar", str(file)],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    return Verdict(done.returncode == 0, done.stdout if done.returncode == 0 else done.stderr)


def together(texts: Sequence[str]) -> str:
    """Many exported files as modules of one, so that the theory is loaded once and what they assume printed once."""
    lines = ["From Epstar Require Import Epstar.", "Open Scope Q_scope."]
    for number, text in enumerate(texts):
        inner = text.partition("Open Scope Q_scope.\n")[2].replace("Print Assumptions answer.\n", "")
        assert inner.count("\nQed.\n") == 1
        lines.append(f"Module M{number}.\n{inner}End M{number}.")
    return "\n".join([*lines, ""])


def proven(texts: Sequence[str], folder: Path, name: str = "answers") -> Verdict:
    """Let Coq prove exported answers, and print what they assume together."""
    answers = ", ".join(f"M{number}.answer" for number in range(len(texts)))
    printed = f"Definition answers := ({answers}, tt).\nPrint Assumptions answers.\n"
    return judged(together(texts) + printed, folder, name)


# The computation by which an answer is proven, without the rest: Coq takes long to print an error about large terms.
_COMPUTED = """
Ltac by_computation ::=
  vm_compute; lazymatch goal with |- true = true => exact eq_refl | |- false = true => idtac "refused"; admit end.
"""


def refused(texts: Sequence[str], folder: Path, name: str = "refused") -> list[bool]:
    """Return of some answers whether a computation that must end in `true` ends in `false`."""
    found = together(texts).replace("Open Scope Q_scope.\n", f"Open Scope Q_scope.{_COMPUTED}", 1)
    found = found.replace("Proof.\n", 'Proof.\nidtac "answer".\n').replace("\nQed.\n", "\nAbort.\n")
    verdict = judged(found, folder, name)
    assert verdict.accepted, verdict.said
    return ["refused" in said for said in verdict.said.split("answer\n")[1:]]
