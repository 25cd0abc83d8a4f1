"""A row of the fault matrix, and the tests that many rows point at.

A test is named by its path below tests/ and its function; `here` in front stands for tests/faults.
"""

from __future__ import annotations

from dataclasses import dataclass

CALLS = "here/test_system_calls.py"
HOOKS = "here/test_dying_hooks.py"
INSIDE = "here/test_in_process.py::test_every_fault_at_every_call_of_a_command"
HOOKS_INSIDE = "here/test_hooks_in_process.py::test_a_hook_that_meets_a_fault_hides_nothing"
WIRE_INSIDE = "hosts/test_wire_meanwhile.py::test_after_any_fault_the_file_is_complete_and_a_retry_succeeds"
LAW = "laws/test_every_fault_at_every_call.py::test_the_promises_hold"
CUTS = "here/test_power_cuts.py"
KINDS = "here/test_file_systems.py"
KILLED = f"{CALLS}::test_killed_before_any_system_call_nothing_is_lost_or_torn"
ONE_ERROR = f"{CALLS}::test_an_error_at_any_system_call_is_reported_and_the_next_try_completes_the_work"
EVERY_ERROR = (
    f"{CALLS}::test_every_error_at_every_system_call_is_reported_and_the_next_try_completes_the_work"
)
HOOK_DIES = f"{HOOKS}::test_after_a_fault_of_a_hook_the_next_prompt_announces_every_message"
FULL = "processes/test_full_disk.py"
OURS = "processes/test_not_ours.py"


@dataclass(frozen=True)
class Row:
    """One fault: what holds all the same, and who shows it; `reason` where nobody does, or not all of it."""

    number: int
    fault: str
    holds: str
    tests: tuple[str, ...] = ()
    reason: str = ""
