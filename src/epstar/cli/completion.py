"""`epstar completion`: a script that lets a shell complete commands, options and their values.

The script is written once from the parser and holds all the words, so that completing starts no Python.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

from epstar.names import SHORT_NAMES

EXAMPLES = """\
epstar completion bash > ~/.local/share/bash-completion/completions/epstar
epstar completion zsh > ~/.zfunc/_epstar
epstar completion fish > ~/.config/fish/completions/epstar.fish"""
PICTURE = ""

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Option:
    """An option or a positional argument: how it is spelt, what it may be, and what it is for.

    A positional argument has no names; `takes_value` is false for a switch; `is_file` says that files are offered.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    takes_value: bool
    is_file: bool
    summary: str


@dataclass(frozen=True)
class Completions:
    """A command with its options."""

    name: str
    summary: str
    options: tuple[Option, ...]

    def named(self) -> list[Option]:
        """The options proper, without positional arguments."""
        return [option for option in self.options if option.names]

    def places(self) -> list[Option]:
        """The positional arguments."""
        return [option for option in self.options if not option.names]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the shell."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that will read the script")


def run(options: argparse.Namespace) -> int:
    """Print the script; it is not a result that could be had in another form."""
    print({"bash": bash, "zsh": zsh, "fish": fish}[options.shell](everything()), end="")
    return 0


def everything() -> tuple[Completions, ...]:
    """Return what there is to complete, read off the parser."""
    from epstar.cli.main import COMMANDS, build_parser

    parser = build_parser([command.name for command in COMMANDS])
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return tuple(
        Completions(command.name, command.summary, tuple(_options(command.name, actions[0].choices[command.name])))
        for command in COMMANDS
    )


def _options(command: str, parser: argparse.ArgumentParser) -> Iterator[Option]:
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        values = tuple(map(str, action.choices)) if action.choices else _known(command, action)
        names = tuple(action.option_strings)
        asked = f"{action.metavar or action.dest}".upper()
        is_file = not values and (not names or any(word in asked for word in ("FILE", "FOLDER", "TABLE", "OUTPUT")))
        summary = shorten((action.help or "").partition(";")[0], 60, placeholder="…")
        yield Option(names, values, action.nargs != 0, is_file, summary)


def _known(command: str, action: argparse.Action) -> tuple[str, ...]:
    """Words that an option may be, beyond the choices that the parser enforces."""
    if action.dest in ("notion", "to"):
        from epstar.notions import NOTIONS

        return (*NOTIONS, *SHORT_NAMES)
    if (command, action.dest) == ("query", "name"):
        from epstar.query.named_queries import NAMES

        return NAMES
    if command in ("theorem", "reproduce") and action.dest in ("key", "paper"):
        from epstar_papers import PAPERS, all_theorems

        return PAPERS if command == "reproduce" else tuple(claim.key for claim in all_theorems())
    return ()


_BASH = """\
_epstar() {
    local line="${COMP_LINE:0:COMP_POINT}" command="" i
    local word="${line##*[[:space:]]}"
    local -a given
    read -ra given <<< "${line%"$word"}"
    local before="${given[${#given[@]} - 1]}"
    for ((i = 1; i < ${#given[@]}; i++)); do
        case "${given[i]}" in -*) ;; *) command="${given[i]}"; break ;; esac
    done
    COMPREPLY=()
    _epstar_words
    # Bash takes a colon for the end of a word; what stands before it is there already.
    if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        local prefix="${word%"${word##*:}"}"
        COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    fi
}
complete -o filenames -F _epstar epstar
"""


def bash(commands: Sequence[Completions]) -> str:
    """Return a script for bash, which finds the words by itself and needs no other package."""
    names = _words([command.name for command in commands])
    lines = ["_epstar_words() {", '    case "$command" in']
    lines.append(f'    "") COMPREPLY=($(compgen -W "{names} --help --version --cite" -- "$word")) ;;')
    for command in commands:
        lines.append(f"    {command.name})")
        lines.append('        case "$before" in')
        lines += [
            f"        {'|'.join(option.names)}) {_compgen(option.values, option.is_file)}; return ;;"
            for option in command.named()
            if option.takes_value
        ]
        lines.append("        esac")
        names = _words([name for option in command.named() for name in option.names])
        values = [value for option in command.places() for value in option.values]
        lines.append(f'        case "$word" in -*) COMPREPLY=($(compgen -W "{names}" -- "$word")) ;;')
        lines.append(f"        *) {_compgen(values, not values)} ;; esac ;;")
    return "\n".join([*lines, "    esac", "}", _BASH])


def _compgen(values: Sequence[str], is_file: bool) -> str:
    if not values and not is_file:
        return "COMPREPLY=()"
    return f'COMPREPLY=($(compgen {"-f" if is_file else f"""-W "{_words(values)}" """.strip()} -- "$word"))'


def zsh(commands: Sequence[Completions]) -> str:
    """Return a script for zsh."""
    lines = ["#compdef epstar", "", "_epstar() {", "    local -a commands; commands=("]
    lines += [f"        {_quoted(f'{command.name}:{command.summary}')}" for command in commands]
    lines += [
        "    )",
        "    if ((CURRENT == 2)); then _describe command commands; return; fi",
        '    local command="$words[2]"; shift words; ((CURRENT--))',
        '    case "$command" in',
    ]
    for command in commands:
        lines.append(f"    {command.name}) _arguments \\")
        specifications = []
        for option in command.named():
            alike = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
            value = f":value:{_zsh_values(option)}" if option.takes_value else ""
            specifications += [f"{alike}{name}[{_bare(option.summary)}]{value}" for name in option.names]
        specifications += [f"*:argument:{_zsh_values(option)}" for option in command.places()[:1]]
        lines += [f"        {_quoted(one)} \\" for one in specifications]
        lines.append("        ;;")
    return "\n".join(
        [
            *lines,
            "    esac",
            "}",
            "",
            'if [ "$funcstack[1]" = _epstar ]; then _epstar "$@"; else compdef _epstar epstar; fi',
            "",
        ]
    )


def fish(commands: Sequence[Completions]) -> str:
    """Return a script for fish."""
    names = " ".join(command.name for command in commands)
    first = f"not __fish_seen_subcommand_from {names}"
    lines = [f"complete -c epstar -n {_quoted(first)} -f"]
    lines += [
        f"complete -c epstar -n {_quoted(first)} -a {command.name} -d {_quoted(command.summary)}"
        for command in commands
    ]
    for command in commands:
        when = f"complete -c epstar -n {_quoted(f'__fish_seen_subcommand_from {command.name}')}"
        for option in command.options:
            spelt = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            if option.names:
                given = (
                    f" -x -a {_quoted(' '.join(option.values))}"
                    if option.values
                    else " -r"
                    if option.is_file
                    else " -x"
                )
                lines.append(f"{when} {spelt}{given if option.takes_value else ''} -d {_quoted(option.summary)}")
            elif option.values:
                lines.append(f"{when} -f -a {_quoted(' '.join(option.values))}")
    return "\n".join([*lines, ""])


def _words(words: Sequence[str]) -> str:
    """Words for compgen, which splits at spaces: a value that holds one is left out."""
    return " ".join(word for word in words if " " not in word)


def _zsh_values(option: Option) -> str:
    if not option.values:
        return "_files" if option.is_file else " "
    escaped = [value.replace(":", "\\:").replace(" ", "\\ ") for value in option.values]
    return f"({' '.join(escaped)})"


def _bare(summary: str) -> str:
    """A summary without the characters that mean something to zsh."""
    return summary.translate(str.maketrans("[]:", "(),"))


def _quoted(text: str) -> str:
    return shlex.quote(text)
