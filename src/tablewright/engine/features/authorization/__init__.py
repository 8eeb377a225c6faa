"""Authorization: the permissions that each request needs, and their check against policies; resource policies."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="authorization",
    operations={
        "DeleteResourcePolicy": "delete_resource_policy",
        "GetResourcePolicy": "get_resource_policy",
        "PutResourcePolicy": "put_resource_policy",
    },
)
