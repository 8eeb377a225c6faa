"""What the overview shows: the picture of the design, counts, samples, request rates."""
