"""Run the background jobs of ListBackup alone: the same as `tablewright jobs listbackup`, with the same options."""

import os
import sys


def main() -> None:
    """Replace this process by the command, so that signals reach it."""
    command = [sys.executable, "-m", "tablewright", "jobs", "listbackup", *sys.argv[1:]]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
