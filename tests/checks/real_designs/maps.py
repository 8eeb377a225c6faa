"""Maps inside items, under the camelCase names of the designs."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Map(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
