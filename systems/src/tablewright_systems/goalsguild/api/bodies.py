"""Parts of requests and replies that several endpoints share."""

from typing import Annotated

from fastapi import Path

Id = Annotated[str, Path(max_length=128)]
