"""Run the background jobs of ListBackup alone: `tablewright-systems jobs listbackup`, with the same options."""

import os
import sys


def main() -> None:
    """Replace this process by the command, so that signals reach it."""
    command = [sys.executable, "-m", "tablewright_systems", "jobs", "listbackup", *sys.argv[1:]]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
