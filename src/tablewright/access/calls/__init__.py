"""How access makes calls: procedures yield calls, runners make them, sync or async, and retry what may be retried."""
