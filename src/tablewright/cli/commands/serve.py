"""Start a server that any DynamoDB client can use, in any language.

The server prints its address on one line. Ctrl-C or SIGTERM stops it after open requests are answered. Acknowledged
writes are on disk, unless the server runs with --memory.
"""

import argparse
import json
import os
from typing import TYPE_CHECKING

from tablewright.cli.arguments import (
    MEMORY,
    buckets_argument,
    location_argument,
    port_number,
    workers_argument,
)
from tablewright.cli.console_server import check_console, console_arguments, start_console
from tablewright.cli.listen_address import explain_bind_error, is_loopback
from tablewright.cli.output import bold, print_line
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tablewright.server.listener import Served
    from tablewright.server.service import ServiceSettings


import sys
from collections.abc import Iterable
from urllib.parse import urlsplit

NAME = "serve"
SUMMARY = "start a server for any DynamoDB client"
EPILOG = """\
how clients connect:
  boto3     boto3.client("dynamodb", endpoint_url="http://127.0.0.1:8000")
  AWS CLI   aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
  others    export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000
  Clients need a region and credentials. Without --require-signatures, any values work.

replicas:
  Every region of AWS is in this server, unless --replica names another server that has it. Start both servers with
  their own --region, and each with --replica for the other. With --require-signatures, requests to the other server
  are signed with the first key of --credentials.

examples:
  tablewright serve --on memory --port 0         start an empty server on a free port, for a test run
  tablewright serve --on app.db -v               store data in a file, and log each request
  tablewright serve --on app.db --workers auto   use all processors: one process writes, the others read
  tablewright serve --host 0.0.0.0 --require-signatures --credentials keys.ini
                                                 serve other machines, if their clients have a key
  tablewright serve --on memory --require-signatures --credentials keys.ini --policies roles.json
                                                 allow each client what the policies of its role allow
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `serve`."""
    location_argument(parser, ("file", "memory"), aliases=("--data", "--memory"))
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port",
        type=port_number,
        default=8000,
        help="port to listen on; 0 selects a free port (default: 8000)",
    )
    buckets_argument(parser)
    parser.add_argument(
        "--region", default="us-east-1", help="AWS region in ARNs and signatures (default: us-east-1)"
    )
    parser.add_argument(
        "--replica",
        metavar="REGION=URL",
        action="append",
        default=[],
        help="another Tablewright server that has this region, for replicas of tables; may be repeated",
    )
    workers_argument(parser, 1, "1")
    parser.add_argument("-v", "--verbose", action="store_true", help="log each request, without its content")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    parser.add_argument("--guide", action="store_true", help="print examples for boto3 and the AWS CLI")
    console_arguments(parser)
    access = parser.add_argument_group("access")
    access.add_argument(
        "--require-signatures", action="store_true", help="accept only requests signed with a known key"
    )
    access.add_argument(
        "--credentials", metavar="FILE", help="known keys, in the format of ~/.aws/credentials"
    )
    access.add_argument(
        "--policies", metavar="FILE", help="roles and users with their access keys and IAM policies, as JSON"
    )
    access.add_argument(
        "--insecure", action="store_true", help="serve other machines without requiring signatures"
    )
    access.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="accept this host name in requests; may be repeated",
    )
    access.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="accept requests from web pages of this origin, or of any (*); may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    is_local = is_loopback(options.host)
    if not (is_local or options.require_signatures or options.insecure):
        raise UsageError(
            f"{options.host} can be reached from other machines, and any client there could read and write all data; "
            "add --require-signatures --credentials FILE, or --insecure"
        )
    if options.require_signatures != bool(options.credentials):
        raise UsageError("--require-signatures and --credentials FILE must be given together")
    if options.policies and not options.require_signatures:
        raise UsageError(
            "--policies FILE needs --require-signatures: without a signature the caller is unknown"
        )
    if options.workers > 1 and (options.on == MEMORY or os.name == "nt"):
        raise UsageError("--workers needs a data file (--on FILE), and is not available on Windows")
    check_console(options)
    from tablewright.engine.database import Database
    from tablewright.engine.storage import open_store
    from tablewright.server import RemotePeer, log_to_stderr
    from tablewright.server.listener import Served
    from tablewright.server.remote_peer import ANONYMOUS

    urls = remote_regions(options.replica, options.region)
    settings = _service_settings(options, urls)
    credential = next(iter((settings.keys or {}).values()), ANONYMOUS)
    remotes = {region: RemotePeer(url, region, credential) for region, url in urls.items()}
    log_to_stderr(verbose=options.verbose)
    store = open_store(None if options.on == MEMORY else options.on)
    database = Database(store, region=options.region, buckets=options.buckets)
    stops: list[Callable[[], None]] = []

    def begin(port: int) -> None:
        _announce(options, port)
        if options.console:
            stops.append(start_console(database, options, _url(options, port)))

    try:
        served = Served(
            database,
            settings.service(),
            options.host,
            options.port,
            begin,
            remotes,
        )
        _serve(served, options, settings)
    except OSError as error:
        raise UsageError(explain_bind_error(error, options.host, options.port)) from None
    finally:
        for stop in stops:
            stop()
        for peer in remotes.values():
            peer.close()
        database.close()
    return 0


def _serve(served: "Served", options: argparse.Namespace, settings: "ServiceSettings") -> None:
    """Serve in this process, or with workers."""
    from tablewright.server.listener import serve_one

    if options.workers == 1:
        serve_one(served)
        return
    from tablewright.server.workers.process_links import ReaderSettings
    from tablewright.server.workers.supervisor import serve_with_workers

    path = served.database.path
    assert path is not None
    serve_with_workers(served, options.workers, ReaderSettings(path, settings, verbose=options.verbose))


def _service_settings(options: argparse.Namespace, urls: "Mapping[str, str]") -> "ServiceSettings":
    """Who may call the server."""
    from tablewright.server import read_callers, read_credentials
    from tablewright.server.service import ServiceSettings

    # The names of this machine on other networks are unknown: there, signatures or --insecure decide.
    hosts = options.allow_host or ([] if is_loopback(options.host) else ["*"])
    keys = read_credentials(options.credentials) if options.require_signatures else None
    return ServiceSettings(
        options.region,
        (options.host, *hosts),
        tuple(options.allow_origin),
        keys,
        None if keys is None else read_callers(keys, options.policies),
        urls,
    )


def _announce(options: argparse.Namespace, port: int) -> None:
    url = _url(options, port)
    if options.json:
        data = None if options.on == MEMORY else os.path.abspath(options.on)
        print_line(json.dumps({"endpoint": url, "region": options.region, "data": data, "pid": os.getpid()}))
    else:
        print_line(f"Tablewright listening on {bold(url)}")
    if options.guide:
        print_line(guide(url, options.region))


def _url(options: argparse.Namespace, port: int) -> str:
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"http://{host}:{port}"


_GUIDE = """
Try it in another terminal:

  With boto3:

{python} - <<'END'
import boto3

client = boto3.client(
    "dynamodb",
    endpoint_url="{url}",
    region_name="{region}",
    aws_access_key_id="any",
    aws_secret_access_key="any",
)
if "Music" not in client.list_tables()["TableNames"]:
    client.create_table(
        TableName="Music",
        KeySchema=[{{"AttributeName": "Artist", "KeyType": "HASH"}}],
        AttributeDefinitions=[{{"AttributeName": "Artist", "AttributeType": "S"}}],
        BillingMode="PAY_PER_REQUEST",
    )
client.put_item(TableName="Music", Item={{"Artist": {{"S": "Nina"}}, "Song": {{"S": "Sinnerman"}}}})
print(client.get_item(TableName="Music", Key={{"Artist": {{"S": "Nina"}}}})["Item"])
END

  With the AWS CLI:

AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any \\
{aws} dynamodb scan --table-name Music --endpoint-url {url} --region {region}

Press Ctrl-C to stop the server.
"""


def guide(url: str, region: str) -> str:
    """Return the guide, with the paths of the programs on this machine."""
    return _GUIDE.format(url=url, region=region, python=_shown(sys.executable), aws=_aws())


def _aws() -> str:
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "aws")
    return _shown(beside) if os.path.exists(beside) else shutil.which("aws") or "aws"


def _shown(path: str) -> str:
    return f"'{path}'" if " " in path else path


def remote_regions(arguments: Iterable[str], own: str) -> dict[str, str]:
    """The URL of the server of each region; `own` is the region of this server.

    >>> remote_regions(["eu-west-1=http://10.0.0.2:8000"], "us-east-1")
    {'eu-west-1': 'http://10.0.0.2:8000'}
    """
    from tablewright.engine.core.requests.arns import AWS_REGIONS

    urls: dict[str, str] = {}
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
        if region in urls:
            raise UsageError(f"--replica {argument}: {region} is given twice; remove one")
        urls[region] = _server_url(argument, url.rstrip("/"))
    return urls


def _server_url(argument: str, url: str) -> str:
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
