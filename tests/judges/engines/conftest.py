"""Small models on one thread each: several test processes share the cores already, and threads
that wait for each other take longer than the work."""

import os

# Read by torch when it is first imported, which no test module does before this file.
os.environ.setdefault("OMP_NUM_THREADS", "1")
