"""Audits: what predictions do to groups of people, whoever made them. No model is needed."""
