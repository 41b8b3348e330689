"""Shipped fakes and conformance suites for plug-in authors."""
