"""The two halves of a change, and what is composed of them to see whether its tests are true."""
