"""Completion in a real shell."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from epstar.cli.completion import SHELLS, everything, fish, zsh
from epstar.cli.main import COMMANDS, main


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script for bash, as it is printed."""
    from epstar.cli.completion import bash

    file = tmp_path_factory.mktemp("completion") / "epstar.bash"
    file.write_text(bash(everything()), encoding="utf-8")
    return file


def offered(script: Path, line: str) -> list[str]:
    """What bash is offered for a line."""
    asked = f'source "{script}"; COMP_LINE="$1"; COMP_POINT=${{#1}}; _epstar; printf "%s\\n" "${{COMPREPLY[@]}}"'
    found = subprocess.run(["bash", "-c", asked, "bash", line], capture_output=True, text=True, check=True)
    assert found.stderr == ""
    return found.stdout.split()


def test_commands_options_and_values_are_offered(script: Path) -> None:
    assert offered(script, "epstar so") == ["solve"]
    assert set(offered(script, "epstar ")) >= {command.name for command in COMMANDS}
    assert offered(script, "epstar solve --dist") == ["--distortion"]
    assert offered(script, "epstar solve --notion max") == ["maximal_leakage", "maximal_information"]
    assert offered(script, "epstar query --name plur") == ["plurality", "plurality_with_tie"]
    assert offered(script, "epstar completion z") == ["zsh"]
    assert offered(script, "epstar solve --order ") == []
    # Bash has split the key at the colon, and wants what comes after it.
    assert offered(script, "epstar theorem kalantari2018:lemma-2") == ["lemma-2"]


def test_files_are_offered_where_a_file_is_wanted(script: Path) -> None:
    assert offered(script, f"epstar check {script.parent}/eps") == [str(script)]
    assert offered(script, f"epstar solve --plot {script.parent}/eps") == [str(script)]


def test_the_tabulator_completes_in_an_interactive_shell(script: Path) -> None:
    process, terminal = pty.fork()
    if process == 0:
        # Nothing of whoever runs this: neither their keys nor the width of their window.
        plain = {"PATH": os.environ["PATH"], "PS1": "> ", "TERM": "dumb", "INPUTRC": "/dev/null", "HOME": "/"}
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], plain)
    try:
        seen(terminal, "> ")
        os.write(terminal, f'source "{script}"; echo re""ady\n'.encode())
        assert "> " in seen(terminal, "ready\r\n> ")
        os.write(terminal, b"epstar conv\t")
        shown = seen(terminal, "epstar convert ")
        os.write(terminal, b"--not\t")
        shown += seen(terminal, "--notion ")
        os.write(terminal, b"mutual\t")
        shown += seen(terminal, "mutual_information")
        assert "epstar convert --notion mutual_information" in shown
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def seen(terminal: int, wanted: str) -> str:
    """What a terminal shows, until something wanted is there."""
    shown = ""
    while wanted not in shown:
        assert select.select([terminal], [], [], 600)[0], shown
        shown += os.read(terminal, 1 << 16).decode()
    return shown


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_names_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert all(command.name in printed for command in COMMANDS)
    assert "maximal_leakage" in printed


def test_other_shells_read_their_scripts(tmp_path: Path) -> None:
    """Bash is everywhere; where the others are installed they must find no fault."""
    for name, text, check in (("zsh", zsh(everything()), ["-n"]), ("fish", fish(everything()), ["--no-execute"])):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        assert text.count("'") % 2 == 0
        if shutil.which(name) is not None:
            subprocess.run([name, *check, str(file)], check=True)
