"""The web server: `serve` answers requests until it is asked to stop."""

from audit.installation.web_server.processes import serve

__all__ = ["serve"]
