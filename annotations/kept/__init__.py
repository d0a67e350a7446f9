"""Figures of a study that pages show and that are counted again only after something has changed."""
