#!/usr/bin/env python
"""Jurybox from the command line: `python manage.py help`."""

from jurybox.command import main

if __name__ == "__main__":
    main(program="manage.py")
