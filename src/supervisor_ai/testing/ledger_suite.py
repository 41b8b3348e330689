"""What every ledger must do, as tests that a subclass for pytest runs.

The subclass gives each test its `harness`, as an autouse fixture does.
"""
# ruff: noqa: D102, PLR2004, S101 - a test's name is its sentence; it asserts and states numbers

from datetime import timedelta

from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.errors import Busy, LeaseLost, StaleVersion
from supervisor_ai.domain.ids import (
    PROJECT_STREAM,
    CommitSha,
    LetterKey,
    RunId,
    StepName,
    TimerName,
    run_stream,
)
from supervisor_ai.domain.project.events import PermitTaken
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import GivenVerdict
from supervisor_ai.engine.ports.ledger import (
    Batch,
    CachedState,
    Head,
    StreamAppend,
    Wake,
    WakeQueue,
)
from supervisor_ai.testing.ledger_harness import (
    BEGIN,
    OTHER,
    RUN,
    RUNTIME,
    TTL,
    OnLedger,
    batch,
    birth,
    completed,
    letter,
    refused,
    started,
)


def gate() -> e.GateStarted:
    """State that a gate is about to run."""
    return e.GateStarted(step=StepName("test"), visit=1, gate="test", snapshot=CommitSha("c"))


def judged(key: str | None, verdict: Verdict) -> e.GateEnded:
    """State what the gate said."""
    return e.GateEnded(
        step=StepName("test"),
        visit=1,
        gate="test",
        verdict=verdict,
        reason="It ran.",
        output=None,
        key=key,
    )


class EventLogSuite(OnLedger):
    """Append-only streams in one global order."""

    def test_an_empty_ledger_has_no_head(self) -> None:
        assert self.events.head() == Head(seq=0, hash="")
        assert list(self.events.read(run_stream(RUN))) == []
        assert self.events.read_all() == []

    def test_what_is_appended_is_what_others_read(self) -> None:
        written = self.events.append(batch(run_stream(RUN), 0, birth(), started()))
        assert self.stream() == list(written)
        assert [envelope.version for envelope in written] == [1, 2]
        assert [envelope.type for envelope in written] == ["RunSubmitted", "RunStarted"]
        assert written[0].recorded_at == self.harness.clock.now()
        assert written[0].actor == RUNTIME

    def test_the_cause_is_kept(self) -> None:
        new = NewEvent(event=birth(), actor=RUNTIME, cause="letter:1")
        append = StreamAppend(stream=run_stream(RUN), expected=0, events=(new,))
        self.events.append(Batch(appends=(append,)))
        assert self.stream()[0].cause == "letter:1"

    def test_one_batch_reaches_several_streams(self) -> None:
        permit = PermitTaken(permit="slot", run=RUN)
        first, second = batch(run_stream(RUN), 0, birth()), batch(PROJECT_STREAM, 0, permit)
        written = self.events.append(Batch(appends=first.appends + second.appends))
        assert [envelope.seq for envelope in written] == [1, 2]
        assert [envelope.stream for envelope in written] == [run_stream(RUN), PROJECT_STREAM]
        assert [envelope.version for envelope in written] == [1, 1]

    def test_a_stream_may_appear_twice_in_a_batch(self) -> None:
        first, second = batch(run_stream(RUN), 0, birth()), batch(run_stream(RUN), 1, started())
        self.events.append(Batch(appends=first.appends + second.appends))
        assert [envelope.version for envelope in self.stream()] == [1, 2]

    def test_a_batch_is_all_or_nothing(self) -> None:
        self.submit(OTHER)
        good, stale = batch(run_stream(RUN), 0, birth()), batch(run_stream(OTHER), 0, started())
        with refused(StaleVersion, "'run:r2'", "version 1", "not at 0"):
            self.events.append(
                Batch(
                    appends=good.appends + stale.appends,
                    sent=(letter("k", OTHER),),
                    wakes=(Wake(run=OTHER, number=1),),
                )
            )
        assert self.stream(RUN) == []
        assert self.events.head().seq == 1
        assert self.harness.second.inbox.pending(OTHER) == []
        assert self.harness.second.wakes.due(now=BEGIN) == []

    def test_a_stream_that_is_behind_is_refused_too(self) -> None:
        with refused(StaleVersion, "version 0", "not at 2"):
            self.events.append(batch(run_stream(RUN), 2, started()))

    def test_only_one_of_two_writers_gets_a_version(self) -> None:
        self.submit()
        self.harness.second.events.append(batch(run_stream(RUN), 1, started()))
        with refused(StaleVersion):
            self.events.append(batch(run_stream(RUN), 1, started()))
        assert len(self.stream()) == 2

    def test_a_stream_is_read_from_and_up_to_a_version(self) -> None:
        self.submit(RUN, *[started() for _ in range(4)])
        read = self.events.read(run_stream(RUN), after=1, upto=3)
        assert [envelope.version for envelope in read] == [2, 3]
        assert list(self.events.read(run_stream(RUN), after=5)) == []

    def test_a_long_stream_is_read_to_its_end(self) -> None:
        self.submit(RUN, *[started() for _ in range(1200)])
        assert [envelope.version for envelope in self.stream()] == list(range(1, 1202))

    def test_all_streams_are_read_in_one_order(self) -> None:
        self.submit(RUN)
        self.submit(OTHER)
        self.events.append(batch(run_stream(RUN), 1, started()))
        read = self.harness.second.events.read_all()
        assert [(envelope.seq, envelope.stream) for envelope in read] == [
            (1, run_stream(RUN)),
            (2, run_stream(OTHER)),
            (3, run_stream(RUN)),
        ]
        assert [envelope.seq for envelope in self.events.read_all(after=1, limit=1)] == [2]

    def test_each_event_is_linked_to_the_one_before(self) -> None:
        self.submit(RUN, started(), started())
        hashes = [envelope.hash for envelope in self.events.read_all()]
        assert len(set(hashes)) == 3
        assert self.harness.second.events.head() == Head(seq=3, hash=hashes[-1])

    def test_an_empty_batch_changes_nothing(self) -> None:
        assert self.events.append(Batch()) == ()
        assert self.events.head().seq == 0


class LeasesSuite(OnLedger):
    """At most one owner per run."""

    def test_the_owner_writes_with_its_epoch(self) -> None:
        lease = self.acquire(self.harness.first)
        assert (lease.run, lease.epoch) == (RUN, 1)
        (envelope,) = self.events.append(batch(run_stream(RUN), 0, birth(), lease=lease))
        assert envelope.epoch == 1
        (without,) = self.events.append(batch(run_stream(OTHER), 0, birth()))
        assert without.epoch == 0

    def test_a_second_owner_is_refused_and_told_who_has_the_run(self) -> None:
        lease = self.acquire(self.harness.first)
        with refused(Busy, "'r1'", repr(lease.owner)):
            self.acquire(self.harness.second)

    def test_a_run_is_refused_to_its_own_owner_too(self) -> None:
        self.acquire(self.harness.first)
        with refused(Busy):
            self.acquire(self.harness.first)

    def test_runs_have_owners_of_their_own(self) -> None:
        assert self.acquire(self.harness.first, RUN).epoch == 1
        assert self.acquire(self.harness.second, OTHER).epoch == 1

    def test_the_epoch_grows_for_ever(self) -> None:
        for epoch in range(1, 5):
            view = self.harness.first if epoch % 2 else self.harness.second
            lease = self.acquire(view)
            assert lease.epoch == epoch
            view.leases.release(lease)

    def test_a_dead_owner_is_taken_over_at_once(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.kill_first()
        assert self.acquire(self.harness.second).epoch == lease.epoch + 1

    def test_a_frozen_owner_is_taken_over_after_its_lease(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.clock.advance(TTL - timedelta(seconds=1))
        with refused(Busy):
            self.acquire(self.harness.second)
        self.harness.clock.advance(timedelta(seconds=1))
        assert self.acquire(self.harness.second).epoch == lease.epoch + 1

    def test_an_owner_that_was_taken_over_can_do_nothing_more(self) -> None:
        old = self.acquire(self.harness.first)
        self.harness.clock.advance(TTL)
        new = self.acquire(self.harness.second)
        with refused(LeaseLost, "'r1'", f"epoch {old.epoch}"):
            self.events.append(batch(run_stream(RUN), 0, birth(), lease=old))
        with refused(LeaseLost):
            self.harness.first.leases.renew(old, ttl=TTL)
        self.harness.first.leases.release(old)
        self.harness.second.events.append(batch(run_stream(RUN), 0, birth(), lease=new))
        self.harness.second.leases.renew(new, ttl=TTL)
        assert [envelope.epoch for envelope in self.stream()] == [new.epoch]

    def test_an_owner_may_be_late_as_long_as_nobody_took_over(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.clock.advance(TTL * 2)
        self.events.append(batch(run_stream(RUN), 0, birth(), lease=lease))
        self.harness.first.leases.renew(lease, ttl=TTL)
        with refused(Busy):
            self.acquire(self.harness.second)

    def test_a_renewed_lease_lasts(self) -> None:
        lease = self.acquire(self.harness.first)
        for _ in range(3):
            self.harness.clock.advance(TTL / 2)
            self.harness.first.leases.renew(lease, ttl=TTL)
        with refused(Busy):
            self.acquire(self.harness.second)

    def test_a_lease_that_was_given_back_is_worth_nothing(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.first.leases.release(lease)
        self.harness.first.leases.release(lease)
        with refused(LeaseLost):
            self.events.append(batch(run_stream(RUN), 0, birth(), lease=lease))
        with refused(LeaseLost):
            self.harness.first.leases.renew(lease, ttl=TTL)

    def test_a_refused_batch_of_an_old_owner_leaves_the_inbox_alone(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.first.inbox.put(letter("k"))
        self.harness.first.leases.release(lease)
        with refused(LeaseLost):
            self.events.append(Batch(lease=lease, taken=(LetterKey("k"),)))
        assert len(self.harness.second.inbox.pending(RUN)) == 1


class InboxSuite(OnLedger):
    """Commands of other processes."""

    def test_a_letter_waits_for_the_owner(self) -> None:
        assert self.harness.second.inbox.put(letter("a"))
        assert self.harness.second.inbox.put(letter("b"))
        assert self.harness.first.inbox.pending(RUN) == [letter("a"), letter("b")]
        assert self.harness.first.inbox.pending(OTHER) == []

    def test_sending_twice_is_sending_once(self) -> None:
        assert self.harness.first.inbox.put(letter("a"))
        assert not self.harness.second.inbox.put(letter("a"))
        assert not self.harness.second.inbox.put(letter("a", OTHER))
        assert self.harness.first.inbox.pending(RUN) == [letter("a")]
        assert self.harness.first.inbox.pending(OTHER) == []

    def test_a_letter_is_taken_with_the_facts_it_leads_to(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.second.inbox.put(letter("a"))
        self.harness.second.inbox.put(letter("b"))
        facts = batch(run_stream(RUN), 0, birth(), lease=lease)
        taken = Batch(appends=facts.appends, lease=lease, taken=(LetterKey("a"),))
        self.events.append(taken)
        assert self.harness.second.inbox.pending(RUN) == [letter("b")]

    def test_a_letter_that_was_taken_stays_known(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.first.inbox.put(letter("a"))
        self.events.append(Batch(lease=lease, taken=(LetterKey("a"),)))
        assert not self.harness.second.inbox.put(letter("a"))
        assert self.harness.first.inbox.pending(RUN) == []

    def test_letters_of_other_runs_cannot_be_taken(self) -> None:
        lease = self.acquire(self.harness.first)
        self.harness.first.inbox.put(letter("a", OTHER))
        self.events.append(Batch(lease=lease, taken=(LetterKey("a"),)))
        assert self.harness.first.inbox.pending(OTHER) == [letter("a", OTHER)]

    def test_letters_are_sent_in_a_batch_too(self) -> None:
        self.events.append(Batch(sent=(letter("a", OTHER), letter("a", OTHER))))
        self.events.append(Batch(sent=(letter("a", OTHER),)))
        assert self.harness.second.inbox.pending(OTHER) == [letter("a", OTHER)]


class WakeQueueSuite(OnLedger):
    """Runs that somebody should drive."""

    @property
    def wakes(self) -> WakeQueue:
        return self.harness.second.wakes

    def orphans(self) -> list[RunId]:
        """Ask the second process for orphans."""
        return list(self.wakes.orphans(now=self.harness.clock.now()))

    def test_wakes_come_when_they_are_due_the_oldest_first(self) -> None:
        late = Wake(run=RUN, number=1, not_before=BEGIN + timedelta(microseconds=1))
        now = Wake(run=OTHER, number=7)
        for wake in (late, now):
            self.harness.first.wakes.submit(wake)
        assert self.wakes.due(now=BEGIN) == [now]
        assert self.wakes.next_due() == late.not_before
        assert self.wakes.due(now=BEGIN + timedelta(seconds=1)) == [late, now]

    def test_asking_twice_is_asking_once(self) -> None:
        wake = Wake(run=RUN, number=1)
        self.wakes.submit(wake)
        self.events.append(Batch(wakes=(wake, Wake(run=RUN, number=1, not_before=BEGIN))))
        assert self.wakes.due(now=BEGIN) == [wake]

    def test_exactly_the_wake_that_is_done_is_forgotten(self) -> None:
        first, second = Wake(run=RUN, number=1), Wake(run=RUN, number=2)
        self.events.append(Batch(wakes=(first, second)))
        self.wakes.done(second)
        self.wakes.done(second)
        assert self.wakes.due(now=BEGIN) == [first]
        assert self.wakes.next_due() is None

    def test_runs_that_nobody_drives_are_orphans(self) -> None:
        self.submit(RUN)
        self.submit(OTHER, started())
        assert self.orphans() == [RUN, OTHER]

    def test_a_run_with_a_living_owner_is_no_orphan_until_it_dies(self) -> None:
        self.submit(RUN, started())
        self.acquire(self.harness.first)
        assert self.orphans() == []
        self.harness.kill_first()
        assert self.orphans() == [RUN]

    def test_a_run_with_a_frozen_owner_is_an_orphan_after_its_lease(self) -> None:
        self.submit(RUN, started())
        self.acquire(self.harness.first)
        self.harness.clock.advance(TTL)
        assert self.orphans() == [RUN]

    def test_a_run_that_will_be_woken_is_no_orphan(self) -> None:
        self.submit(RUN, started())
        self.wakes.submit(Wake(run=RUN, number=1, not_before=BEGIN + TTL))
        assert self.orphans() == []

    def test_a_wake_to_come_does_not_help_a_run_whose_owner_died(self) -> None:
        self.submit(RUN, started())
        self.acquire(self.harness.first)
        self.wakes.submit(Wake(run=RUN, number=1, not_before=BEGIN + TTL))
        self.harness.kill_first()
        assert self.orphans() == [RUN]

    def test_a_waiting_run_is_no_orphan_until_a_letter_comes(self) -> None:
        self.submit(RUN, started(), e.RunWaiting(reason="an approval"))
        self.wakes.submit(Wake(run=RUN, number=1, not_before=BEGIN + TTL))
        assert self.orphans() == []
        self.harness.first.inbox.put(letter("a"))
        assert self.orphans() == [RUN]

    def test_a_waiting_run_is_an_orphan_when_its_timer_is_due(self) -> None:
        timer = e.TimerSet(timer=TimerName("t"), due=BEGIN + TTL, parks=True)
        self.submit(RUN, started(), timer, e.RunWaiting(reason="a timer"))
        assert self.orphans() == []
        self.harness.clock.advance(TTL)
        assert self.orphans() == [RUN]
        self.events.append(batch(run_stream(RUN), 4, e.TimerFired(timer=timer.timer)))
        assert self.orphans() == []

    def test_an_ended_run_is_no_orphan(self) -> None:
        self.submit(RUN, started(), completed())
        self.harness.first.inbox.put(letter("a"))
        assert self.orphans() == []


class StateCacheSuite(OnLedger):
    """Folded states; only a cache."""

    def test_the_newest_state_of_the_same_fold_is_found(self) -> None:
        stream, cache = run_stream(RUN), self.harness.first.cache
        assert cache.load(stream, fold="f:1") is None
        for version in (3, 9, 5):
            cached = CachedState(version=version, fold="f:1", state=b"\x00%d" % version)
            cache.save(stream, cached)
        found = self.harness.second.cache.load(stream, fold="f:1")
        assert found == CachedState(version=9, fold="f:1", state=b"\x009")

    def test_another_fold_or_stream_finds_nothing(self) -> None:
        cache = self.harness.first.cache
        cache.save(run_stream(RUN), CachedState(version=1, fold="f:1", state=b"x"))
        assert cache.load(run_stream(RUN), fold="f:2") is None
        assert cache.load(run_stream(OTHER), fold="f:1") is None


class VerdictsSuite(OnLedger):
    """Verdicts are found again by everything that they depend on."""

    def test_the_newest_verdict_with_a_key_is_found_by_all(self) -> None:
        old, new = judged("k", Verdict.FAILED), judged("k", Verdict.PASSED)
        self.submit(RUN, started(), gate(), old, gate(), new)
        assert self.harness.second.verdicts.find("k") == GivenVerdict(run=RUN, ended=new)

    def test_a_verdict_without_a_key_counts_once(self) -> None:
        self.submit(RUN, started(), gate(), judged(None, Verdict.PASSED))
        assert self.harness.first.verdicts.find("k") is None

    def test_a_verdict_is_known_by_the_beginning_of_its_key(self) -> None:
        self.submit(RUN, started(), gate(), judged("files tools", Verdict.PASSED))
        verdicts = self.harness.second.verdicts
        assert verdicts.has_some("files ")
        assert not any(map(verdicts.has_some, ("files tools besides", "file ", "tools", "g")))

    def test_what_was_found_again_is_not_the_source(self) -> None:
        said = judged("k", Verdict.PASSED)
        again = replace(said, is_reused=True, reason="again")
        self.submit(RUN, started(), gate(), said, gate(), again)
        assert self.harness.first.verdicts.find("k") == GivenVerdict(run=RUN, ended=said)


class LedgerSuite(
    EventLogSuite, LeasesSuite, InboxSuite, WakeQueueSuite, StateCacheSuite, VerdictsSuite
):
    """Every promise of the six ports of the ledger."""
