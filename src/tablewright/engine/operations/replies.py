"""Replies: dictionaries in DynamoDB's vocabulary; stored items in them are spliced or decoded at the gate."""

from typing import Any

Reply = dict[str, Any]
