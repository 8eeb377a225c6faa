"""Reading: an access pattern becomes requests, and their replies become pages of entities."""
