"""The loop and its quality supervisors as nodes of LangGraph, and threads in our ledger."""
