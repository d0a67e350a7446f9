"""How large the house is, and how far one walks in it: `make house`."""
