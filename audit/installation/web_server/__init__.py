"""The web server: `serve` answers requests until a signal stops it."""

from audit.installation.web_server.processes import serve

__all__ = ["serve"]
