"""What a judge is like as an instrument: what changes of a picture do to its scores, and whether it favours
its family."""
