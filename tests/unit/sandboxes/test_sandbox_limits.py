import resource

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS as EXECUTOR
from supervisor_ai.sandboxes.resource_limits.rlimits import kernel_limits, process_backstop


def test_no_limit_exceeds_what_this_process_may_give() -> None:
    for number, value in kernel_limits(EXECUTOR, is_own_user=True):
        _, most = resource.getrlimit(number)
        assert value >= 0
        assert most == resource.RLIM_INFINITY or value <= most


def test_processes_are_counted_only_for_a_user_of_its_own() -> None:
    shared = dict(kernel_limits(EXECUTOR, is_own_user=False))
    own = dict(kernel_limits(EXECUTOR, is_own_user=True))
    assert resource.RLIMIT_NPROC not in shared
    assert own[resource.RLIMIT_NPROC] <= process_backstop(EXECUTOR)


def test_the_address_space_is_not_limited() -> None:
    assert resource.RLIMIT_AS not in dict(kernel_limits(EXECUTOR, is_own_user=True))


def test_no_core_is_ever_dumped() -> None:
    assert dict(kernel_limits(EXECUTOR, is_own_user=True))[resource.RLIMIT_CORE] <= 1
