"""How many examples Hypothesis tries: few in `make test`, many in `make test-long`."""

from hypothesis import HealthCheck, settings


def load_profiles() -> None:
    """Make the profiles known; `--hypothesis-profile deep` takes the other one."""
    for name, most in (("quick", 40), ("deep", 300)):
        # How long an example takes says how busy the machine is, not whether the code is right.
        settings.register_profile(
            name, max_examples=most, deadline=None, suppress_health_check=(HealthCheck.too_slow,)
        )
    settings.load_profile("quick")


def examples(most: int) -> int:
    """Return how many examples a test tries that needs `most` to look everywhere."""
    return min(most, settings.get_profile(settings.get_current_profile_name()).max_examples)
