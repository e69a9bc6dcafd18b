"""The theory, built once, and the verdict of Coq on a file that uses it."""

import shutil
import subprocess
from dataclasses import dataclass
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


def judged(text: str, folder: Path, theory: Path, name: str = "answer") -> Verdict:
    """Let Coq judge a file."""
    file = folder / f"{name}.v"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["coqc", "-q", "-R", str(theory), "Epstar", str(file)], cwd=folder, check=False, capture_output=True, text=True
    )
    return Verdict(done.returncode == 0, done.stdout if done.returncode == 0 else done.stderr)
