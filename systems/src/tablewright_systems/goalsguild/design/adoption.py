"""Rows that other programs may have written as the document prints them, without what this design adds."""

from typing import ClassVar

from tablewright import Scan
from tablewright_systems.goalsguild.design.goals import Goal
from tablewright_systems.goalsguild.design.rooms import AssistMsg, Message


class AdoptableRows(Scan[Goal | Message | AssistMsg]):
    """Scan for goals without progress, and for messages without a room or thread."""

    suppress: ClassVar = {"TW303": "read once, when rows of other programs are adopted"}
