"""Jurybox as it is installed: the console script `jurybox`."""

from audit import VERSION as __version__

__all__ = ["__version__"]
