"""Every error Tablewright raises on purpose, in one tree under `TablewrightError`.

- `service_errors`: what DynamoDB replies, with the registry of wire codes
- `store_errors`: the data file cannot be used
- `design_errors`: a design, a key or a value cannot work
- `encryption_errors`: a secret field cannot be encrypted or decrypted
- `read_errors`, `write_errors`: typed reads and writes
- `connection_errors`: the endpoint cannot be reached, or its reply was lost
- `lifecycle_errors`: deployments, migrations and moves
- `usage_errors`: a command cannot run as it was given

Import the classes from here: `from tablewright.errors import UniqueViolation`.
"""

from tablewright.errors.base_error import (
    TablewrightError,
)
from tablewright.errors.connection_errors import (
    LostConnection,
    Unreachable,
)
from tablewright.errors.design_errors import (
    DesignError,
    KeyValueError,
    ValueNotStorable,
)
from tablewright.errors.encryption_errors import (
    KeyringError,
    SecretAltered,
    SecretError,
    SecretShredded,
)
from tablewright.errors.lifecycle_errors import (
    DeploymentError,
    MigrationError,
    MigrationIncomplete,
    MoveError,
)
from tablewright.errors.read_errors import (
    BadCursor,
    FieldNotRead,
    SeveralFound,
    UnknownItem,
)
from tablewright.errors.service_errors import (
    AccessDenied,
    BackupInUse,
    BackupNotFound,
    ConditionalCheckFailed,
    DuplicateItem,
    ExpiredIterator,
    ExportConflict,
    ExportNotFound,
    GlobalTableNotFound,
    IdempotentParameterMismatch,
    ImportConflict,
    ImportNotFound,
    IncompleteSignature,
    InternalFailure,
    InvalidExportTime,
    InvalidRestoreTime,
    InvalidSignature,
    ItemCollectionSizeLimitExceeded,
    LimitExceeded,
    MissingAuthenticationToken,
    PointInTimeRecoveryUnavailable,
    PolicyNotFound,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    ResourceInUse,
    ResourceNotFound,
    SerializationError,
    ServiceError,
    ServiceUnavailable,
    TableAlreadyExists,
    TableInUse,
    TableNotFound,
    Throttling,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
    TrimmedDataAccess,
    UnknownOperation,
    UnrecognizedClient,
    ValidationError,
)
from tablewright.errors.store_errors import (
    SpaceMissing,
    StoreDamaged,
    StoreError,
    StoreFormat,
    StoreFull,
    StoreLocked,
    StoreMissing,
)
from tablewright.errors.usage_errors import (
    CredentialsError,
    PolicyError,
    UsageError,
)
from tablewright.errors.write_errors import (
    AlreadyExists,
    BatchUnfinished,
    ConditionNotMet,
    Contended,
    CopyBlocked,
    DoesNotExist,
    InvalidWrite,
    OutcomeUnknown,
    ParentAbsent,
    TransactionFailed,
    TransactionTooLarge,
    UniqueViolation,
    VersionConflict,
    WriteError,
)

__all__ = [
    "AccessDenied",
    "AlreadyExists",
    "BackupInUse",
    "BackupNotFound",
    "BadCursor",
    "BatchUnfinished",
    "ConditionNotMet",
    "ConditionalCheckFailed",
    "Contended",
    "CopyBlocked",
    "CredentialsError",
    "DeploymentError",
    "DesignError",
    "DoesNotExist",
    "DuplicateItem",
    "ExpiredIterator",
    "ExportConflict",
    "ExportNotFound",
    "FieldNotRead",
    "GlobalTableNotFound",
    "IdempotentParameterMismatch",
    "ImportConflict",
    "ImportNotFound",
    "IncompleteSignature",
    "InternalFailure",
    "InvalidExportTime",
    "InvalidRestoreTime",
    "InvalidSignature",
    "InvalidWrite",
    "ItemCollectionSizeLimitExceeded",
    "KeyValueError",
    "KeyringError",
    "LimitExceeded",
    "LostConnection",
    "MigrationError",
    "MigrationIncomplete",
    "MissingAuthenticationToken",
    "MoveError",
    "OutcomeUnknown",
    "ParentAbsent",
    "PointInTimeRecoveryUnavailable",
    "PolicyError",
    "PolicyNotFound",
    "ProvisionedThroughputExceeded",
    "RequestLimitExceeded",
    "ResourceInUse",
    "ResourceNotFound",
    "SecretAltered",
    "SecretError",
    "SecretShredded",
    "SerializationError",
    "ServiceError",
    "ServiceUnavailable",
    "SeveralFound",
    "SpaceMissing",
    "StoreDamaged",
    "StoreError",
    "StoreFormat",
    "StoreFull",
    "StoreLocked",
    "StoreMissing",
    "TableAlreadyExists",
    "TableInUse",
    "TableNotFound",
    "TablewrightError",
    "Throttling",
    "TransactionCanceled",
    "TransactionConflict",
    "TransactionFailed",
    "TransactionInProgress",
    "TransactionTooLarge",
    "TrimmedDataAccess",
    "UniqueViolation",
    "UnknownItem",
    "UnknownOperation",
    "Unreachable",
    "UnrecognizedClient",
    "UsageError",
    "ValidationError",
    "ValueNotStorable",
    "VersionConflict",
    "WriteError",
]

for _name in __all__:
    globals()[_name].__module__ = __name__  # tracebacks and pickles name the public path
