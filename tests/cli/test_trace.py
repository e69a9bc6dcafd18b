"""How much of the package the easiest question goes through, and what it costs from start to answer."""

import io
import resource
import subprocess
import sys
from contextlib import redirect_stdout
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

import epstar
from epstar.cli.main import main

QUESTION = ["solve", "--notion", "dp", "--prior", ".4,.3,.2,.1", "--distortion", ".2"]
# Files of the package of which the question calls a function, when everything was imported before: 49 in the first
# edition. It may fall, and not rise.
FILES = 69


def files_of(arguments: list[str]) -> list[str]:
    """The files of the package of which a command calls functions; bodies of classes and modules are none."""
    package = str(Path(epstar.__file__).parent)
    found: dict[str, int] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & CO_OPTIMIZED and code.co_filename.startswith(package):
            found[code.co_filename] = found.get(code.co_filename, 0) + 1

    with redirect_stdout(io.StringIO()):
        sys.setprofile(seen)
        try:
            assert main(arguments) == 0
        finally:
            sys.setprofile(None)
    return sorted(Path(name).relative_to(package).as_posix() for name in found)


def test_the_easiest_question_goes_through_no_more_files() -> None:
    with redirect_stdout(io.StringIO()):
        main(QUESTION)
    found = files_of(QUESTION)
    print(len(found), *found, sep="\n")
    assert len(found) <= FILES


def test_the_easiest_question_loads_neither_curves_nor_statistics_nor_solvers() -> None:
    code = f"import sys; from epstar.cli.main import main; main({QUESTION}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "epstar.solve.forms.randomised_response" in loaded
    assert not loaded & {"epstar.curve", "epstar.breakpoints", "epstar.statistics", "scipy", "highspy"}


def test_from_start_to_answer_takes_less_than_a_second() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "epstar", *QUESTION], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{seconds:.2f} CPU s")
    # On a busy machine the same work takes longer, in CPU seconds too.
    assert seconds < 2
