"""The commands of the parser, and their options."""

import argparse

from tablewright.cli.parser import build_parser


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    top = build_parser()
    commands = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)
