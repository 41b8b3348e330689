"""How many examples are tried, and how many worlds simulated: few or many, as the suite wants."""

import os

from hypothesis import HealthCheck, settings


def load_profiles() -> None:
    """Make the profiles known; `--hypothesis-profile deep` takes the other one.

    The quick one judges a change: it tries the same examples each time, so that what it says
    depends on the change alone. The deep one searches: other examples each time.
    """
    for name, most in (("quick", 40), ("deep", 300)):
        # How long an example takes says how busy the machine is, not whether the code is right.
        settings.register_profile(
            name,
            max_examples=most,
            derandomize=name == "quick",
            deadline=None,
            suppress_health_check=(HealthCheck.too_slow,),
        )
    settings.load_profile("quick")


def worlds(usual: int) -> int:
    """Return how many worlds a part of the long simulation has; SIMULATION_SCALE multiplies it."""
    return max(1, round(usual * float(os.environ.get("SIMULATION_SCALE", "1"))))


def examples(most: int) -> int:
    """Return how many examples a test tries that needs `most` to look everywhere."""
    return min(most, settings.get_profile(settings.get_current_profile_name()).max_examples)
