"""Statistics of many slices at once, from sums of their clusters."""
