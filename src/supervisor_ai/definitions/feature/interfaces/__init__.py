"""Parsers for the languages of interfaces, run where hostile text can do no harm."""
