"""Files that other tools write: what each of them means here."""
