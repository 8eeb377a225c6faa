"""Traffic: the requests to the tables of a design, measured by pattern, entity and key."""
