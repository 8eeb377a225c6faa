"""The flows of GoalsGuild, by area. Who acts is the second argument, and is asked for leave here, not in the API."""
