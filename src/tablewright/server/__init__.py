"""The server: DynamoDB's protocol over HTTP, for any client in any language.

listener  -> client_connection -> batching         -> service              -> the engine
(sockets)    (bytes to             (requests that      (HTTP request to
              requests)             arrive together)    engine call, and back)
"""

from tablewright.server.authentication.credentials import read_credentials
from tablewright.server.authentication.policy_file import read_callers
from tablewright.server.authentication.signatures import Signatures
from tablewright.server.listener import serve
from tablewright.server.remote_peer import RemotePeer
from tablewright.server.request_log import log_to_stderr
from tablewright.server.service import HostPolicy, Service

__all__ = [
    "HostPolicy",
    "RemotePeer",
    "Service",
    "Signatures",
    "log_to_stderr",
    "read_callers",
    "read_credentials",
    "serve",
]
