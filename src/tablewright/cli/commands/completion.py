"""Print a script that lets a shell complete commands, options and files."""

import argparse

from tablewright.cli.output import print_line

NAME = "completion"
SUMMARY = "print a completion script for a shell"
EPILOG = """\
examples:
  tablewright completion bash > ~/.local/share/bash-completion/completions/tablewright
  tablewright completion zsh > "${fpath[1]}/_tablewright"
  tablewright completion fish > ~/.config/fish/completions/tablewright.fish
"""
SHELLS = ("bash", "zsh", "fish")
_FILES, _FOLDERS = ("FILE", "LOCATION"), ("DIR",)
"""The metavars of what the shell completes with files, and with folders."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `completion`."""
    parser.add_argument("shell", choices=SHELLS, help="shell to print the script for: bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    _mark_files(options.parser)
    print_line(shtab.complete(options.parser, options.shell))
    return 0


def _mark_files(parser: argparse.ArgumentParser) -> None:
    """Mark the arguments whose values are files or folders, for shtab."""
    import shtab

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _mark_files(command)
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
