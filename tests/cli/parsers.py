"""The commands of a parser, and their options."""

import argparse

from tablewright.cli.parser import build_parser


def command_parsers(parser: argparse.ArgumentParser | None = None) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command; of `tablewright`, unless another parser is given."""
    actions = (parser or build_parser())._actions
    commands = next(action for action in actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)
