"""Remote regions: the `--replica REGION=URL` arguments of `serve`."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from tablewright.errors import UsageError


def remote_regions(arguments: Iterable[str], own: str) -> dict[str, str]:
    """The URL of the server of each region; `own` is the region of this server.

    >>> remote_regions(["eu-west-1=http://10.0.0.2:8000"], "us-east-1")
    {'eu-west-1': 'http://10.0.0.2:8000'}
    """
    from tablewright.engine.core.requests.aws_regions import AWS_REGIONS

    found: dict[str, str] = {}
    for argument in arguments:
        region, _, url = argument.partition("=")
        if region not in AWS_REGIONS:
            raise UsageError(
                f"--replica {argument}: {region!r} is not a region of AWS; write REGION=URL, such as "
                "eu-west-1=http://10.0.0.2:8000"
            )
        if region == own:
            raise UsageError(
                f"--replica {argument}: this server has the region {own}; change --region or --replica"
            )
        if region in found:
            raise UsageError(f"--replica {argument}: {region} is given twice; remove one")
        found[region] = _url(argument, url.rstrip("/"))
    return found


def _url(argument: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        is_server = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        is_valid = is_server and not (parts.path or parts.query or parts.username)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise UsageError(
            f"--replica {argument}: {url!r} is not the URL of a server, such as http://10.0.0.2:8000"
        )
    return url
