"""Generate: infrastructure code, IAM policies, documentation, diagrams and sample data from a design."""
