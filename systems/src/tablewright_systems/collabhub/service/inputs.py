"""Types of what clients send. They are stricter than the entities: what other programs have stored stays readable."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tablewright_systems import service
from tablewright_systems.service.schemas import JSON_NUMBER

Id = Annotated[str, Field(min_length=1, max_length=255)]
Line = Annotated[service.Line, Field(min_length=1, max_length=200)]
Text = Annotated[service.Prose, Field(max_length=10_000)]
Url = Annotated[str, Field(min_length=1, max_length=2_048, pattern=r"^https?://[^\s\x00-\x1f]+$")]
Words = Annotated[list[Line], Field(max_length=50)]
Money = Annotated[Decimal, Field(ge=0, max_digits=15, decimal_places=2), *JSON_NUMBER]
