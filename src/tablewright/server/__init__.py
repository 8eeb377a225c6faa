"""The wire: DynamoDB's protocol over HTTP, for any client in any language.

listening -> connections -> rounds -> service -> the engine
(sockets)    (bytes to      (what      (what a
              requests)     arrives    request is,
                            together)  before and after)
"""

from tablewright.server.credentials import read_credentials
from tablewright.server.host_policy import Guests
from tablewright.server.listener import serve
from tablewright.server.request_log import quiet_log
from tablewright.server.service import Service
from tablewright.server.signatures import Signatures

__all__ = ["Guests", "Service", "Signatures", "quiet_log", "read_credentials", "serve"]
