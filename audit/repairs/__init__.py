"""Images repaired by what was found wrong with them, beside a control, and what it gained."""
