"""What the user sees of an error: a line for one that is not a bug, a short report for a bug.

`--debug` prints the traceback of both.
"""

import os
import sys
from collections.abc import Sequence

from tablewright.errors import ServiceError, TablewrightError, UnknownOperation

EXIT_CODE = 70
"""EX_SOFTWARE of sysexits.h: an internal error."""


def is_debugging(arguments: Sequence[str]) -> bool:
    """Return whether `--debug` is given, or `TABLEWRIGHT_DEBUG` is set."""
    return "--debug" in arguments or os.environ.get("TABLEWRIGHT_DEBUG", "0") not in ("", "0")


def report_crash(error: Exception, arguments: Sequence[str]) -> int:
    """Print what happened and how to report it, and return the exit code."""
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    if is_debugging(arguments):
        print_traceback(error)
    print(f"tablewright: internal error: {message}", file=sys.stderr)
    print(f"This is a bug ({origin(error)}). {_advice(arguments)}", file=sys.stderr)
    return EXIT_CODE


def origin(error: Exception) -> str:
    """Return the module and the line that raised a caught exception."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno}" if trace else "unknown line"


def _advice(arguments: Sequence[str]) -> str:
    from importlib.metadata import version

    what = f"the version ({version('tablewright')}), the command and this output"
    if is_debugging(arguments):
        return f"Report it to the maintainers with {what}."
    import shlex

    command = shlex.join(["tablewright", *arguments, "--debug"])
    return f"Report it to the maintainers with {what}. To see the traceback, run: {command}"


def print_traceback(error: BaseException) -> None:
    """Print a traceback to standard error: with colours and source on a terminal, as Python prints it elsewhere."""
    if not sys.stderr.isatty():
        import traceback

        traceback.print_exception(error)
        return
    from rich.console import Console
    from rich.traceback import Traceback

    # Local variables are not shown: they may hold items and keys.
    Console(stderr=True).print(Traceback.from_exception(type(error), error, error.__traceback__))


_UNKNOWN = ("", "An unknown operation was requested.")
"""What endpoints other than AWS say about an operation that they lack."""


def error_message(error: TablewrightError, location: str | None) -> str:
    """Return the text of an error; an operation that the endpoint at the location lacks is named.

    >>> error_message(UnknownOperation(""), "http://127.0.0.1:8000")
    'http://127.0.0.1:8000 does not support an operation of this command; give another location'
    """
    if not isinstance(error, ServiceError):
        return str(error)
    if not isinstance(error, UnknownOperation) or str(error) not in _UNKNOWN:
        from tablewright.console.service_messages import service_message

        return service_message(error)
    operation = getattr(error.__cause__, "operation_name", None) or "an operation of this command"
    return f"{location or 'the endpoint'} does not support {operation}; give another location"
