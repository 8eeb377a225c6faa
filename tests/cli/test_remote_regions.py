"""Remote regions: mistakes in --replica are named with the fix."""

import pytest

from tablewright.cli.remote_regions import remote_regions
from tablewright.errors import UsageError


def test_regions_and_urls() -> None:
    arguments = ["eu-west-1=http://10.0.0.2:8000/", "ap-south-1=https://db.example.org"]
    assert remote_regions(arguments, "us-east-1") == {
        "eu-west-1": "http://10.0.0.2:8000",
        "ap-south-1": "https://db.example.org",
    }
    assert remote_regions([], "us-east-1") == {}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["eu-west-1"], "is not the URL of a server"),
        (["http://10.0.0.2:8000"], "is not a region of AWS; write REGION=URL"),
        (["eu=http://10.0.0.2:8000"], "'eu' is not a region of AWS"),
        (
            ["us-east-1=http://10.0.0.2:8000"],
            "this server has the region us-east-1; change --region or --replica",
        ),
        (["eu-west-1=ftp://10.0.0.2"], "is not the URL of a server"),
        (["eu-west-1=http://10.0.0.2:port"], "is not the URL of a server"),
        (["eu-west-1=http://10.0.0.2/path"], "is not the URL of a server"),
        (["eu-west-1=http://a:1", "eu-west-1=http://b:1"], "eu-west-1 is given twice; remove one"),
    ],
)
def test_mistakes_are_named(arguments: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        remote_regions(arguments, "us-east-1")
