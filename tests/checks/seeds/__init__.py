"""Five real design documents, declared as they are written: their faults are what the checks must find."""
