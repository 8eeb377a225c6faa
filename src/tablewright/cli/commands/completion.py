"""Print a script that teaches your shell to complete commands and options."""

import argparse

from tablewright.cli.output import say

NAME = "completion"
SUMMARY = "print a completion script for your shell"
EPILOG = """\
to have it always:
  bash   tablewright completion bash > ~/.local/share/bash-completion/completions/tablewright
  zsh    tablewright completion zsh > "${fpath[1]}/_tablewright"
  fish   tablewright completion fish > ~/.config/fish/completions/tablewright.fish
"""

_BASH = """\
_tablewright() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    case "$before" in
        --data|--credentials|--buckets) COMPREPLY=($(compgen -f -- "$word")); return;;
    esac
    case "${{COMP_WORDS[1]}}" in
{cases}
        *) COMPREPLY=($(compgen -W "{top}" -- "$word"));;
    esac
}}
complete -o filenames -F _tablewright tablewright
"""
_ZSH = """\
#compdef tablewright
autoload -U +X bashcompinit && bashcompinit
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `completion` understands."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    words = vocabulary(options.whole)
    if options.shell == "fish":
        say(_fish(words))
    else:
        say((_ZSH if options.shell == "zsh" else "") + _bash(words))
    return 0


def vocabulary(top: argparse.ArgumentParser) -> dict[str, dict[str, str]]:
    """Each command with its words and what they mean; the commands themselves under the empty name."""
    commands = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    shown = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    words = {"": shown | _words(top)}
    for name, parser in commands.choices.items():
        words[name] = _words(parser)
    return words


def _words(parser: argparse.ArgumentParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for action in parser._actions:
        for word in action.option_strings or (
            action.choices if action.nargs is None and action.choices else ()
        ):
            found[str(word)] = action.help or ""
    return found


def _bash(words: dict[str, dict[str, str]]) -> str:
    cases = "\n".join(
        f'        {name}) COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word"));;'
        for name, options in words.items()
        if name
    )
    return _BASH.format(cases=cases, top=" ".join(words[""]))


def _fish(words: dict[str, dict[str, str]]) -> str:
    lines = []
    for name, options in words.items():
        condition = f"__fish_seen_subcommand_from {name}" if name else "__fish_use_subcommand"
        for word, meaning in options.items():
            if word.startswith("--"):
                shape = f"-l {word[2:]}"
            elif word.startswith("-"):
                shape = f"-s {word[1:]}"
            else:
                shape = f"-f -a {word}"
            text = meaning.replace("'", "\\'")
            lines.append(f"complete -c tablewright -n '{condition}' {shape} -d '{text}'")
    return "\n".join(lines)
