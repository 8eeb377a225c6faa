"""Load: the declared and the simulated load of a design beside the measured one, and what it costs."""
