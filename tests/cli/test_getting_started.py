"""The examples that `serve --guide` prints work when they are pasted into a shell."""

import subprocess

from tablewright.cli.getting_started import guide
from tests.server.processes import ServerProcess


def test_the_examples_work() -> None:
    with ServerProcess("--on", "memory") as server:
        text = guide(server.url, "us-east-1")
        python, shell = text.partition("With boto3:")[2].split("With the AWS CLI:")
        for pasted in (python, python, shell.partition("Press Ctrl-C")[0]):
            result = subprocess.run(["sh", "-c", pasted], capture_output=True, text=True, timeout=60)
            assert result.returncode == 0, result.stderr
            assert "Sinnerman" in result.stdout
