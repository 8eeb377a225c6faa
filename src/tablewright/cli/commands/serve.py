"""Start a server that any DynamoDB client, in any language, can talk to.

It prints its address on one line, and stops on Ctrl-C or SIGTERM once open requests are answered. What it has
acknowledged is on disk, unless it runs with --memory.
"""

import argparse
import ipaddress
import json
import os
import socket

from tablewright.cli.getting_started import guide
from tablewright.cli.output import bold, say
from tablewright.errors import UsageError

NAME = "serve"
SUMMARY = "start a server for any DynamoDB client"
EPILOG = """\
how clients connect:
  boto3     boto3.client("dynamodb", endpoint_url="http://127.0.0.1:8000")
  AWS CLI   aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
  others    export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000
  Clients want a region and credentials, whatever they are: without --require-signatures, any will do.

examples:
  tablewright serve --memory --port 0            a fresh server on a free port, for a test run
  tablewright serve --data app.db -v             keep a file, and log each request
  tablewright serve --host 0.0.0.0 --require-signatures --credentials keys.ini
                                                 for other machines: only those who hold a key
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `serve` understands."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=port_number, default=8000, help="the port; 0 finds a free one (8000)")
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--data", metavar="FILE", default="tablewright.db", help="the file to keep (tablewright.db, here)"
    )
    place.add_argument("--memory", action="store_true", help="keep nothing")
    parser.add_argument(
        "--buckets",
        metavar="DIR",
        help="the directory whose folders stand for S3's buckets (FILE.buckets, beside the file)",
    )
    parser.add_argument(
        "--region", default="us-east-1", help="the region that ARNs and signatures name (us-east-1)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="log each request, without its content")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    parser.add_argument("--guide", action="store_true", help="also print what to try next")
    access = parser.add_argument_group("who may connect")
    access.add_argument(
        "--require-signatures", action="store_true", help="accept only what a known key has signed"
    )
    access.add_argument("--credentials", metavar="FILE", help="the keys, in the form of ~/.aws/credentials")
    access.add_argument(
        "--insecure", action="store_true", help="listen beyond this machine without signatures"
    )
    access.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="another name this server is known by",
    )
    access.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="let web pages of this origin in, or of any (*)",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until told to stop."""
    is_local = _is_loopback(options.host)
    if not (is_local or options.require_signatures or options.insecure):
        raise UsageError(
            f"{options.host} can be reached from other machines, and anyone there could read and write everything: "
            "add --require-signatures --credentials FILE, or say --insecure"
        )
    if options.require_signatures != bool(options.credentials):
        raise UsageError("--require-signatures and --credentials FILE go together: give both")
    from tablewright.engine.database import Database
    from tablewright.server import Guests, Service, Signatures, quiet_log, read_credentials, serve
    from tablewright.storage import open_store

    signatures = None
    if options.require_signatures:
        signatures = Signatures(read_credentials(options.credentials), options.region)
    # Beyond this machine we cannot know our names; there, signatures or --insecure decide.
    hosts = options.allow_host or ([] if is_local else ["*"])
    service = Service(Guests([options.host, *hosts], options.allow_origin), signatures)
    quiet_log(verbose=options.verbose)
    store = open_store(None if options.memory else options.data)
    database = Database(store, region=options.region, buckets=options.buckets)
    try:
        serve(database, service, options.host, options.port, lambda port: _announce(options, port))
    except OSError as error:
        raise UsageError(explain(error, options.host, options.port)) from None
    finally:
        database.close()
    return 0


def _announce(options: argparse.Namespace, port: int) -> None:
    host = f"[{options.host}]" if ":" in options.host else options.host
    url = f"http://{host}:{port}"
    if options.json:
        data = None if options.memory else os.path.abspath(options.data)
        say(json.dumps({"endpoint": url, "region": options.region, "data": data, "pid": os.getpid()}))
    else:
        say(f"Tablewright listening on {bold(url)}")
    if options.guide:
        say(guide(url, options.region))


def port_number(text: str) -> int:
    """A port, from the command line."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number up to 65535, not {text!r}")
    return int(text)


def _is_loopback(host: str) -> bool:
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host or "0.0.0.0", None)}
    except (OSError, UnicodeError):
        raise UsageError(f"{host} is not an address of this machine; try 127.0.0.1") from None
    return all(ipaddress.ip_address(str(address).partition("%")[0]).is_loopback for address in found)


def explain(error: OSError, host: str, port: int, option: str = "--port") -> str:
    """Why nothing can listen there, and what to do about it."""
    import errno

    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is taken: stop what listens there, or choose another ({option} 0 finds one)"
        case errno.EACCES:
            return f"port {port} is not yours to open: choose one above 1023 ({option} 0 finds one)"
        case errno.EADDRNOTAVAIL:
            return f"{host} is not an address of this machine; try 127.0.0.1"
        case _:
            return f"cannot listen on {host} port {port}: {error.strerror or error}"
