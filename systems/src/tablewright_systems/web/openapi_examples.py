"""Examples in the OpenAPI document: each model gets one that the model itself accepts.

API viewers show them as sample replies, and put them into the request form, ready to send.
"""

import re
from typing import Any

# Deeper nested models are left out of an example.
MAX_DEPTH = 6

Schema = dict[str, Any]

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00",
    "email": "ada@example.org",
    "uri": "https://example.org/",
    "uuid": "5f0c2d1e-8a7b-4c3d-9e6f-1a2b3c4d5e6f",
}

# Ends of ranges are later than their starts, so that no range is empty.
_ENDS = {"date": "2026-02-28", "date-time": "2026-02-28T12:00:00Z"}

# By the last words of the property's name in snake case; the first that fits is used.
_NAMES = (
    (r"until|end", _ENDS["date-time"]),
    (r"at|since|start", "2026-01-31T12:00:00Z"),
    (r"email(_as_given)?|address", "ada@example.org"),
    (r"url|uri|link", "https://example.org/page"),
    (r"ids?|by|from|family|participants|tags?|skills?", "ada-5f0c2d1e"),
    (r"percentage", "50"),
    (r"currency", "EUR"),
    (r"country|nationality", "SE"),
    (r"city|location", "Stockholm"),
    (r"zone|timezone", "Europe/Stockholm"),
    (r"language|locale", "en"),
    (r"color", "#2a6f4f"),
    (r"ip_address", "192.0.2.1"),
    (r"user_agent", "Mozilla/5.0"),
    (r"first_name|nickname|user_?name", "ada"),
    (r"last_name", "Lovelace"),
    (r"full_name|display_name", "Ada Lovelace"),
    (r"cost|budget|amount|compensation|funding_(goal|raised)", "1200.00"),
    (r"event_type", "account.updated"),
    (r"token|secret|password|verifier|challenge", "a-long-secret-text-0123456789-0123456789-01"),
    (r"cursor", "eyJwayI6IjEifQ"),
)

# Tried in turn for properties with a pattern.
_PATTERN_VALUES = (
    "ada-5f0c2d1e",
    "example",
    "Example",
    "123456",
    "EUR",
    "#2a6f4f",
    "account.updated",
    "/ada-5f0c2d1e/",
)


def add_examples(document: Schema) -> None:
    """Add an example to each model of an OpenAPI document."""
    for schema in document.get("components", {}).get("schemas", {}).values():
        for field in schema.get("properties", {}).values():
            field.pop("automatic", None)  # a note of the design, not of the API
        if "enum" not in schema and "examples" not in schema:
            schema["examples"] = [example_of(document, schema)]


def example_of(document: Schema, schema: Schema, name: str = "", depth: int = 0) -> Any:
    """Return a value that a schema accepts.

    >>> example_of({}, {"type": "object", "properties": {"email": {"type": "string"}, "n": {"minimum": 3}}})
    {'email': 'ada@example.org', 'n': 3}
    """
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if "const" in schema:
        return schema["const"]
    if schema.get("default") is not None:
        return schema["default"]
    if "$ref" in schema:
        return example_of(document, _resolve(document, schema["$ref"]), name, depth)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return _first_that_fits(document, schema[key], name, depth)
    return _by_type(document, schema, name, depth)


def _first_that_fits(document: Schema, options: list[Schema], name: str, depth: int) -> Any:
    if depth > MAX_DEPTH and any(option.get("type") == "null" for option in options):
        return None
    return example_of(document, options[0], name, depth)


def _by_type(document: Schema, schema: Schema, name: str, depth: int) -> Any:
    match schema.get("type"):
        case "object":
            return _object(document, schema, depth)
        case "array":
            if depth > MAX_DEPTH and not schema.get("minItems"):
                return []
            return [example_of(document, schema.get("items", {}), name, depth + 1)]
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return True
        case "null":
            return None
        case "string":
            return _text(schema, name)
        case _:
            return _number(schema) if "minimum" in schema or "maximum" in schema else "example"


def _object(document: Schema, schema: Schema, depth: int) -> Schema:
    required = schema.get("required", ())
    return {
        key: example_of(document, part, key, depth + 1)
        for key, part in schema.get("properties", {}).items()
        if key in required or depth <= MAX_DEPTH
    }


def _number(schema: Schema) -> int | float:
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 2) - ("exclusiveMaximum" in schema))
    value = min(max(least, 1), most)
    return int(value) if schema.get("type") != "number" or value == int(value) else float(value)


def _text(schema: Schema, name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if (kind := schema.get("format")) in _FORMATS:
        return _ENDS[kind] if kind in _ENDS and re.search(r"(^|_)(until|end)$", words) else _FORMATS[kind]
    named = [text for pattern, text in _NAMES if re.search(rf"(^|_)({pattern})$", words)]
    plain = f"An example {words.replace('_', ' ')}".strip()
    candidates = (*named, *_PATTERN_VALUES) if "pattern" in schema else (*named, plain)
    return next((text for text in candidates if _fits(schema, text)), _padded(schema, candidates[0]))


def _fits(schema: Schema, text: str) -> bool:
    if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
        return False
    return re.search(schema.get("pattern", ""), text) is not None


def _padded(schema: Schema, text: str) -> str:
    """The text with the length that the schema demands."""
    return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]


def _resolve(document: Schema, reference: str) -> Schema:
    node: Any = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node  # type: ignore[no-any-return]
