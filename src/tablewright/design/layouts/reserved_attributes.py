"""Reserved attributes: what the library writes into items besides fields and keys.

The discriminator (`Table.discriminator`), which holds the type of an item, is reserved too where a class has a type.
"""

SCHEMA_VERSION = "schemaVersion"
"""The schema version of the class that wrote the item."""

OWNER = "_of"
"""In a copy or a lock: the primary key of the entity's main item, as a map."""

KEPT = "_kept"
"""In a copy: the fields that are also key attributes of an index the copy must not be in, as a map."""

LOCK = "_lock"
"""The type of a lock of a unique value, and the prefix of its key, unless the design chooses both."""
