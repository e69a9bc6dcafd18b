"""Proofs as JSON documents: how claims are written down and read back; `epstar.claims` says what they mean."""
