"""A set's own score of each generator, computed as its script does, from a judge's stored scores."""
