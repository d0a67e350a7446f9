"""Signs: pictures of words, drawn on the spot, with every mistake known."""
