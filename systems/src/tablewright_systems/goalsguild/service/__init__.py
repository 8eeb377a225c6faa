"""The flows of GoalsGuild, by area. The caller is the second argument; permissions are checked here, not in the API."""
