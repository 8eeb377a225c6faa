"""A server in the event loop of a test."""

import asyncio

from tablewright.engine.database import Database
from tablewright.engine.regions import Regions
from tablewright.server.batching import Batcher
from tablewright.server.host_policy import HostPolicy
from tablewright.server.listener import Server
from tablewright.server.service import Service


def server_of(database: Database) -> Server:
    """A server of a database that any client may call."""
    regions = Regions(database)
    return Server(Batcher(regions, Service(HostPolicy()), asyncio.get_running_loop()), regions.close)
