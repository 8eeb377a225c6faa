"""Tables: the rules for creating and changing them, and their descriptions."""
