"""Measures a machine for TrainSpec: kernels, collectives, and kernels beside collectives (doc/profile.md)."""
