"""The designs of five real teams, declared as the teams wrote them down: their faults are what the checks must find."""
