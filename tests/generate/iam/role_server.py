"""A server that enforces the generated policies of designs, and repositories that call it as one of the roles."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablewright import Design, Repository, connect
from tablewright.access.encryption.keyrings import KeyFile
from tablewright.generate.iam.grants import Document, TableArns
from tablewright.generate.iam.role_policies import Role, role_policies
from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess

REGION = "eu-north-1"


def arns(environment: str | None = None) -> TableArns:
    return TableArns(REGION, "123456789012", environment)


@dataclass
class Roles:
    """Roles by name, with the access keys of their sessions."""

    entries: dict[str, Any] = field(default_factory=dict)

    def add(
        self,
        name: str,
        documents: Iterable[Document],
        sessions: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Add a role; the access key of a session is its name."""
        keys = [{"id": key, "tags": dict(tags)} for key, tags in (sessions or {name: {}}).items()]
        self.entries[name] = {"policies": list(documents), "access_keys": keys}

    @property
    def keys(self) -> list[str]:
        return [key["id"] for entry in self.entries.values() for key in entry["access_keys"]]


@dataclass(frozen=True)
class RoleServer:
    """A running server."""

    process: ServerProcess
    master_keys: Path
    """A key file for secret fields."""

    def connect(
        self, design: Design, key: str, environment: str | None = None, **settings: Any
    ) -> Repository:
        """A repository that signs with an access key."""
        return connect(
            design,
            self.process.url,
            environment=environment,
            region=REGION,
            aws_access_key_id=key,
            aws_secret_access_key="secret",
            **settings,
        )

    def client(self, key: str, service: str = "dynamodb") -> Any:
        """A boto3 client that signs with an access key."""
        return boto_client(
            self.process, service, region_name=REGION, aws_access_key_id=key, aws_secret_access_key="secret"
        )


@contextmanager
def role_server(folder: Path, roles: Roles) -> Iterator[RoleServer]:
    """Start a server with roles."""
    keys, master_keys = folder / "keys.ini", folder / "master.json"
    KeyFile.create(master_keys)
    keys.touch(0o600)
    profiles = (f"[{key}]\naws_access_key_id = {key}\naws_secret_access_key = secret\n" for key in roles.keys)
    keys.write_text("".join(profiles))
    file = folder / "roles.json"
    file.write_text(json.dumps({"roles": roles.entries}))
    options = (
        "--region",
        REGION,
        "--require-signatures",
        "--credentials",
        str(keys),
        "--policies",
        str(file),
    )
    with ServerProcess("--memory", *options) as process:
        yield RoleServer(process, master_keys)


def policies(design: Design, environment: str | None = None, **limits: Any) -> list[Document]:
    """The documents of a role."""
    return role_policies(design, arns(environment), Role(**limits))
