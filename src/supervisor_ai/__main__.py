"""`python -m supervisor_ai`."""

from supervisor_ai.cli.main import main

main()
