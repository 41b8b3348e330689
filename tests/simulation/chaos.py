"""What goes wrong, drawn from a seed."""

from random import Random
from typing import Protocol

from msgspec import Struct


class Victim(Protocol):
    """A process to which things happen."""

    def kill(self) -> None: ...

    def freeze(self, seconds: float) -> None: ...

    def interrupt(self, seconds: float) -> None: ...


class Weather(Struct, frozen=True, kw_only=True):
    """How likely each misfortune is at each call of a port, and how many there may be in all."""

    kill: float = 0.0
    freeze: float = 0.0
    interrupt: float = 0.0
    longest_interrupt: float = 0.2
    latency: float = 0.0
    strikes: int = 0


CALM = Weather()


class Chaos:
    """Decides by chance what happens to whom."""

    def __init__(self, chance: Random, weather: Weather, *, longest_freeze: float) -> None:
        self._chance = chance
        self._weather = weather
        self._longest_freeze = longest_freeze
        self.strikes_left = weather.strikes

    def strike(self, victim: Victim) -> None:
        """Maybe kill, freeze or interrupt a process that is in the middle of a call."""
        weather = self._weather
        drawn = self._chance.random()
        if drawn < weather.interrupt:
            victim.interrupt(self._chance.uniform(0, weather.longest_interrupt))
        elif not self.strikes_left:
            return
        elif drawn > 1 - weather.kill:
            self.strikes_left -= 1
            victim.kill()
        elif drawn > 1 - weather.kill - weather.freeze:
            self.strikes_left -= 1
            victim.freeze(self._chance.uniform(0, self._longest_freeze))

    def latency(self) -> float:
        """Return how long an asynchronous call takes."""
        if self._chance.random() < self._weather.latency:
            return self._chance.uniform(0, 2)
        return 0.0
