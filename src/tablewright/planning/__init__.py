"""Planning: what a design will take and cost under a workload, and where it will run hot. Nothing is run."""
