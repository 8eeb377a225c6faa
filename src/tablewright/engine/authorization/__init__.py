"""Authorization: the permissions that each request needs, and their check against policies."""
