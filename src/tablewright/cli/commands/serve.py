"""Start a server that any DynamoDB client can use, in any language.

The server prints its address on one line. Ctrl-C or SIGTERM stops it after open requests are answered. Acknowledged
writes are on disk, unless the server runs with --memory.
"""

import argparse
import json
import os
from typing import TYPE_CHECKING

from tablewright.cli.arguments import MEMORY, buckets_argument, location_argument, port_number
from tablewright.cli.getting_started import guide
from tablewright.cli.listen_address import explain_bind_error, is_loopback
from tablewright.cli.output import bold, print_line
from tablewright.cli.remote_regions import remote_regions
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tablewright.policies import Caller
    from tablewright.server import Signatures
    from tablewright.server.authentication.credentials import Keyring

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
    parser.add_argument("-v", "--verbose", action="store_true", help="log each request, without its content")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    parser.add_argument("--guide", action="store_true", help="print examples for boto3 and the AWS CLI")
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
    from tablewright.engine.database import Database
    from tablewright.server import HostPolicy, RemotePeer, Service, log_to_stderr, serve
    from tablewright.server.remote_peer import ANONYMOUS
    from tablewright.storage import open_store

    urls = remote_regions(options.replica, options.region)
    keys, signatures, callers = _access(options)
    credential = next(iter(keys.values()), ANONYMOUS)
    remotes = {region: RemotePeer(url, region, credential) for region, url in urls.items()}
    # The names of this machine on other networks are unknown: there, signatures or --insecure decide.
    hosts = options.allow_host or ([] if is_local else ["*"])
    service = Service(HostPolicy([options.host, *hosts], options.allow_origin), signatures, callers, urls)
    log_to_stderr(verbose=options.verbose)
    store = open_store(None if options.on == MEMORY else options.on)
    database = Database(store, region=options.region, buckets=options.buckets)
    try:
        serve(database, service, options.host, options.port, lambda port: _announce(options, port), remotes)
    except OSError as error:
        raise UsageError(explain_bind_error(error, options.host, options.port)) from None
    finally:
        for peer in remotes.values():
            peer.close()
        database.close()
    return 0


def _access(
    options: argparse.Namespace,
) -> "tuple[Keyring, Signatures | None, Mapping[str, Caller] | None]":
    """The known keys, the signatures that are required, and the callers by access key."""
    from tablewright.server import Signatures, read_callers, read_credentials

    if not options.require_signatures:
        return {}, None, None
    keys = read_credentials(options.credentials)
    return keys, Signatures(keys, options.region), read_callers(keys, options.policies)


def _announce(options: argparse.Namespace, port: int) -> None:
    host = f"[{options.host}]" if ":" in options.host else options.host
    url = f"http://{host}:{port}"
    if options.json:
        data = None if options.on == MEMORY else os.path.abspath(options.on)
        print_line(json.dumps({"endpoint": url, "region": options.region, "data": data, "pid": os.getpid()}))
    else:
        print_line(f"Tablewright listening on {bold(url)}")
    if options.guide:
        print_line(guide(url, options.region))
