"""Settings that a reader process needs to serve clients exactly as the writer would."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tablewright.dynamodb.policies import Caller
from tablewright.server.authentication.credentials import Keyring
from tablewright.server.authentication.signatures import Signatures
from tablewright.server.host_policy import HostPolicy
from tablewright.server.listener import MAX_CONNECTIONS
from tablewright.server.service import Service


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Who may call a server."""

    region: str
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    keys: Keyring | None = None
    """The keys that requests must be signed with; None if signatures are not required."""
    callers: Mapping[str, Caller] | None = None
    remote_regions: Mapping[str, str] | None = None

    def service(self) -> Service:
        """Build the service."""
        signatures = None if self.keys is None else Signatures(self.keys, self.region)
        return Service(HostPolicy(self.hosts, self.origins), signatures, self.callers, self.remote_regions)


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """What a reader process is started with, beside its sockets."""

    path: Path
    service: ServiceSettings
    max_connections: int = MAX_CONNECTIONS
    verbose: bool = False
