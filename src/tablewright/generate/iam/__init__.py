"""IAM policies for the roles of a design: the service, a stream consumer, the operator, and people who only read."""
