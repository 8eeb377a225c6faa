"""The features of the engine, one folder each; `engine.feature_list` registers them."""
