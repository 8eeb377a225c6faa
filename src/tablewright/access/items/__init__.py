"""Between entities and items: values, keys, decoding, upcasting, and everything an entity stores."""
