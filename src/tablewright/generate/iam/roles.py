"""Roles: the policy documents of each role of a design.

service           runs access patterns and writes entities; with a tenant, only the tenant's
stream-consumer   reads streams, and keeps the positions of consumers
operator          deploys, migrates, checks and backs up
read-only         reads all tables, without decrypting secrets
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tablewright.design.designs import Design
from tablewright.errors import UsageError
from tablewright.generate.iam import operator_role
from tablewright.generate.iam.grants import Document, Grants
from tablewright.generate.iam.kms_rights import grant_master_key, grant_table_keys
from tablewright.generate.iam.reader_roles import grant_reader, grant_stream_consumer
from tablewright.generate.iam.service_role import KEY_SHREDS, ServiceRole, members_of
from tablewright.generate.iam.table_arns import TableArns

ROLES = ("service", "stream-consumer", "operator", "read-only")


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a design, and what limits it."""

    name: str = "service"
    only: Sequence[str] = ()
    """The patterns that a service runs and the entities that it writes, by name; all if empty."""
    tenant: str | None = None
    """The field that limits a service to the partitions of a tenant."""
    shared: Sequence[str] = ()
    """The patterns and entities that all tenants share, by name."""
    may_shred: bool = False
    """Whether a service may delete the encryption keys of a tenant."""
    kms_key: str | None = None
    """The ARN of the master key of secret fields."""
    bucket: str | None = None
    """The S3 bucket of the operator's exports and imports."""

    def __post_init__(self) -> None:
        if self.name not in ROLES:
            raise UsageError(f"there is no role {self.name}; the roles are: {', '.join(ROLES)}")
        given = {"only": self.only, "tenant": self.tenant, "shared": self.shared, "may-shred": self.may_shred}
        for option, value in given.items():
            if value and self.name != "service":
                raise UsageError(f"--{option} is for the role service, not for {self.name}")
        if self.bucket is not None and self.name != "operator":
            raise UsageError(f"--bucket is for the role operator, not for {self.name}")
        if self.shared and self.tenant is None:
            raise UsageError("--shared says what tenants share; give --tenant too")


def role_policies(design: Design, arns: TableArns, role: Role | None = None) -> list[Document]:
    """The policy documents of a role: one, or several where one would be longer than AWS allows."""
    role = role or Role()
    grants = Grants()
    master_rights: tuple[str, ...] = ("kms:Decrypt", "kms:Encrypt")
    data_rights: tuple[str, ...] = ("kms:Decrypt",)
    match role.name:
        case "service":
            _grant_service(grants, design, arns, role)
        case "stream-consumer":
            grant_stream_consumer(grants, design, arns)
            master_rights = ("kms:Decrypt",)
        case "operator":
            operator_role.grant_operator(grants, design, arns, role.bucket)
            data_rights = operator_role.KEYS
        case _:
            grant_reader(grants, design, arns)
            master_rights = ()
    grant_table_keys(grants, design.tables, arns, data_rights)
    if role.kms_key is not None:
        if not master_rights or design.key_table is None:
            reason = (
                f"{design.name} has no secret fields" if master_rights else "read-only people decrypt nothing"
            )
            raise UsageError(f"--kms-key is for the secret fields of a design; {reason}")
        grant_master_key(grants, role.kms_key, master_rights)
    return grants.documents()


def role_notes(design: Design, arns: TableArns, role: Role | None = None) -> list[str]:
    """What the policies of a role do not prevent, though the design says so."""
    role = role or Role()
    if role.name != "service":
        return []
    return ServiceRole(design, arns, role.tenant).notes(members_of(design, role.only))


def _grant_service(grants: Grants, design: Design, arns: TableArns, role: Role) -> None:
    members = members_of(design, role.only)
    names = {member.__name__ for member in members}
    for member in members_of(design, role.shared) if role.shared else ():
        if member.__name__ not in names:
            raise UsageError(f"--shared {member.__name__} is not among the patterns and entities of --only")
    ServiceRole(design, arns, role.tenant).grant(grants, members, role.shared)
    if role.may_shred:
        if design.key_table is None:
            raise UsageError(f"--may-shred is for the keys of secret fields, and {design.name} has none")
        if role.tenant is not None:
            raise UsageError("--may-shred deletes the keys of any tenant; do not give --tenant")
        grants.add(arns.of(design.key_table), KEY_SHREDS)
