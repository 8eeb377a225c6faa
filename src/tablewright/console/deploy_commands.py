"""Deploy commands: the command that brings the tables of an open design to what its source says."""

from shlex import quote

from tablewright.console.open_designs import OpenDesign


def deploy_command(opened: OpenDesign) -> str:
    """Return the command `deploy` for the store of an open design."""
    words = ["tablewright", "deploy", opened.source]
    if opened.location != "memory":
        words += ["--on", opened.location]
    if opened.db.context.environment is not None:
        words += ["--env", opened.db.context.environment]
    if opened.db.context.prefix:
        words += ["--prefix", opened.db.context.prefix]
    return " ".join(map(quote, words))
