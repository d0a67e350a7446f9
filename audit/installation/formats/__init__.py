"""How numbers and dates are written."""
