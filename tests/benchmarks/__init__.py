"""Measurements, run by `make bench` and never by the test suite."""
