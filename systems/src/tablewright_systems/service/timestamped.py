"""The fields that most entities of the systems have: when an entity was created, and last written."""

from tablewright import Entity, fields
from tablewright_systems.service.stored_values import StoredTime


class Timestamped(Entity):
    """Base of entities with the times of their creation and of their last write."""

    created_at: StoredTime = fields.now()
    updated_at: StoredTime = fields.touched()
