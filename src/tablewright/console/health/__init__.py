"""What the view Health shows: findings of checks, drift, and integrity checks with their repairs."""
