"""Doors to other tools, tried with files that these tools wrote."""
