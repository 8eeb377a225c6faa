"""Jobs: requesting them, and the queue from which workers take them."""
