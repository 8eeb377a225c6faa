"""What `make run` tells a newcomer to paste works when it is pasted."""

import subprocess

from tablewright.cli.getting_started import guide
from tests.server.processes import ServerProcess


def test_what_is_pasted_works() -> None:
    with ServerProcess("--memory") as server:
        text = guide(server.url, "us-east-1")
        python, shell = text.partition("With boto3:")[2].split("With the AWS CLI:")
        for pasted in (python, python, shell.partition("Ctrl-C")[0]):
            answer = subprocess.run(["sh", "-c", pasted], capture_output=True, text=True, timeout=60)
            assert answer.returncode == 0, answer.stderr
            assert "Sinnerman" in answer.stdout
