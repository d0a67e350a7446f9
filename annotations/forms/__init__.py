"""The papers' question forms, one file each, as plain data."""

from annotations.forms import geneval_audit

FORMS = {form.slug: form for form in [geneval_audit.FORM]}
