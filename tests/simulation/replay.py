"""Show one simulated world: python -m tests.simulation.replay PROFILE SEED."""

import sys

from tests.simulation.invariants import broken_rules
from tests.simulation.kanban_rules import broken_kanban_rules
from tests.simulation.profiles import PROFILES
from tests.simulation.simulation import Simulation


def main(profile: str, seed: int) -> None:
    """Print the ledger of a world and every rule that does not hold in it."""
    evidence = Simulation(seed, PROFILES[profile]).run()
    for envelope in evidence.envelopes:
        sys.stdout.write(f"{envelope.seq} epoch {envelope.epoch} {envelope.stream} ")
        sys.stdout.write(f"{envelope.recorded_at.time()} {envelope.event}\n")
    for rule in (*broken_rules(evidence), *broken_kanban_rules(evidence)):
        sys.stdout.write(f"BROKEN: {rule}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
