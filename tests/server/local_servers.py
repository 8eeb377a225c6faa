"""A server in the event loop of a test."""

import asyncio

from tablewright.engine.database import Database
from tablewright.engine.regions import Regions
from tablewright.server.batching import Batcher
from tablewright.server.listener import MAX_CONNECTIONS, Server
from tablewright.server.service import HostPolicy, Service


def server_of(database: Database, max_connections: int = MAX_CONNECTIONS) -> Server:
    """A server of a database that any client may call."""
    regions = Regions(database)
    batcher = Batcher(regions, Service(HostPolicy()), asyncio.get_running_loop())
    return Server(batcher, regions.close, max_connections)
