"""The rows of the fault matrix about processes, power and disks that fail."""

from __future__ import annotations

from tests.faults.row import (
    CALLS,
    CUTS,
    EVERY_ERROR,
    FULL,
    HOOK_DIES,
    HOOKS_INSIDE,
    INSIDE,
    KILLED,
    LAW,
    ONE_ERROR,
    OURS,
    WIRE_INSIDE,
    Row,
)

FAILURES: dict[str, tuple[Row, ...]] = {
    "The process ends": (
        Row(
            1,
            "kill -9 before any system call",
            "a message is whole in one place or not there; archiving leaves the inbox or both; the registry and "
            "the settings are old or new; the next try ends it; a hook repeats what it had not said",
            (KILLED, HOOK_DIES, INSIDE, LAW, HOOKS_INSIDE, WIRE_INSIDE),
            "a wake that is killed between its record and its end was not heard: the next start says what waits",
        ),
        Row(
            2,
            "SIGTERM, Ctrl-C, a reader of the output that goes away",
            "as a kill, but staging is taken away; exit 143, 130, 141; no traceback",
            (
                "processes/test_signals.py::test_a_send_stopped_at_any_disk_call_leaves_a_whole_message_or_none",
                "processes/test_signals.py::test_an_interrupted_archive_keeps_the_message_and_succeeds_when_repeated",
                "processes/test_signals.py::test_a_send_that_waits_for_its_body_leaves_nothing",
                "processes/test_descriptors.py::test_a_reader_that_closes_its_pipe_ends_the_program_quietly",
                "hosts/test_presented.py::test_a_terminated_hook_exits_with_0_and_records_nothing",
            ),
            "registering, pruning and wiring end by the same handler, and a kill leaves no less of them",
        ),
        Row(
            3,
            "kill -9 at random under load",
            "what was acknowledged is there once and whole; nothing twice, nothing strange",
            (
                "here/test_kills_under_load.py::test_kills_in_the_middle_of_the_work_lose_nothing",
                "here/test_kills_under_load.py::test_hundreds_of_kills_lose_nothing_on_any_file_system",
                "here/test_kills_under_load.py::test_kills_of_real_commands_lose_nothing",
                "here/test_kills_under_load.py::test_sixteen_hundred_messages_of_one_name_survive_a_hundred_and_fifty_kills",
            ),
        ),
    ),
    "The power goes": (
        Row(
            4,
            "a power cut before any step",
            "exit 0 stays true; nothing torn; what a command began the next try ends",
            (
                f"{CUTS}::test_a_power_cut_before_any_step_loses_and_tears_nothing",
                f"{CUTS}::test_a_missing_sync_is_detected",
            ),
            "the sender's own copy has one sync and no promise; btrfs does not know the shutdown request",
        ),
        Row(
            5,
            "killed, tried again to exit 0, then a power cut",
            "what the second try found done is on the disk too",
            (f"{CUTS}::test_a_second_try_that_reports_success_survives_a_power_cut",),
            "a prune that removed nothing makes no such promise: what an earlier one removed may come back",
        ),
        Row(
            6,
            "a power cut under load",
            "what was acknowledged before the cut is there after it",
            (
                "here/test_power_cuts_under_load.py::test_forty_power_cuts_under_load_lose_nothing",
                "here/test_power_cuts_under_load.py::test_a_missing_sync_is_detected_under_load",
            ),
        ),
        Row(
            7,
            "an unlink that reaches the disk before a link",
            "the claim is given back only after the inbox is on the disk",
            (
                f"{CALLS}::test_send_syncs_the_file_then_links_then_syncs_the_directory_then_releases_the_claim",
                f"{CALLS}::test_archive_has_the_archive_on_disk_before_it_leaves_the_inbox",
                "laws/test_synced_before_it_counts.py::test_sending",
            ),
            "ext4 and xfs keep one order for both, so the order of the calls is what is looked at",
        ),
    ),
    "The disk refuses": (
        Row(
            8,
            "no space or no inode for a new file",
            "exit 75, nothing changed; there is room again: the same call succeeds; looking and pruning work",
            (
                f"{FULL}::test_a_full_disk_delivers_nothing_until_there_is_space",
                f"{FULL}::test_a_full_disk_archives_nothing_until_there_is_space",
                f"{FULL}::test_a_full_disk_unarchives_nothing_until_there_is_space",
                f"{FULL}::test_a_full_disk_leaves_the_registry_whole_and_the_next_try_succeeds",
                f"{FULL}::test_a_full_disk_can_be_read_and_pruned",
                "hosts/test_presented.py::test_a_full_disk_under_the_record_repeats_the_notice",
                ONE_ERROR,
            ),
        ),
        Row(9, "no space at write, sync or link", "exit 75, no part of a message is visible", (ONE_ERROR, EVERY_ERROR, LAW, HOOKS_INSIDE, WIRE_INSIDE)),
        Row(10, "over quota", "as no space", (EVERY_ERROR, INSIDE, LAW)),
        Row(
            11,
            "a file cannot be synced",
            "exit 75, and it is never synced a second time",
            (ONE_ERROR, "core/test_disk.py::test_a_failed_sync_of_a_file_is_never_tried_again"),
        ),
        Row(
            12,
            "a directory cannot be synced when the message is visible",
            "exit 4, the id is given, the message stays; archiving keeps both",
            (
                ONE_ERROR,
                "core/test_publishing.py::test_visible_but_not_confirmed_is_said_and_a_copy_is_kept",
                "core/test_replacing.py::test_changed_but_not_confirmed_is_said",
            ),
        ),
        Row(
            13,
            "a file system that syncs no directories",
            "exit 0",
            (EVERY_ERROR, INSIDE, "core/test_disk.py::test_a_file_system_that_syncs_no_directories_is_good_enough"),
        ),
        Row(
            14,
            "a read fails",
            "an error that names the file, the others are listed; never `no mail`, never an empty registry",
            (
                ONE_ERROR,
                HOOK_DIES,
                f"{OURS}::test_a_message_that_cannot_be_read_is_listed_and_is_an_error",
                "core/test_who_is_known.py::test_a_registry_that_cannot_be_read_is_a_problem_and_not_empty",
            ),
        ),
        Row(
            15,
            "a write does less than asked",
            "it goes on, or exit 75 and nothing changed",
            (
                INSIDE,
                LAW,
                "processes/test_limits.py::test_a_write_that_is_cut_short_delivers_nothing",
                "processes/test_limits.py::test_a_write_that_is_cut_short_moves_nothing",
                "processes/test_limits.py::test_a_registry_that_cannot_be_written_whole_stays_as_it_was",
            ),
        ),
        Row(16, "a signal interrupts a call", "the call is made again, exit 0", (EVERY_ERROR, LAW, "core/test_disk.py::test_a_signal_is_no_failure")),
        Row(
            17,
            "closing reports an error",
            "what was synced stays: exit 0, with a note",
            (ONE_ERROR, "core/test_disk.py::test_a_late_error_of_close_is_noted_and_no_failure"),
        ),
        Row(
            18,
            "a call succeeds and reports a failure",
            "what was done counts",
            (INSIDE, LAW, "core/test_publishing.py::test_what_was_done_counts_whatever_is_reported"),
        ),
        Row(
            19,
            "no descriptor left",
            "done, or exit 75 and nothing changed",
            ("processes/test_limits.py::test_with_too_few_descriptors_a_command_is_done_or_changes_nothing", EVERY_ERROR),
        ),
        Row(
            20,
            "a hung file system",
            "a hook gives up at its deadline; a lock is not waited for without end",
            (
                "hosts/test_presented.py::test_a_hung_file_system_is_abandoned_at_the_deadline_and_reported",
                "core/test_replacing.py::test_who_holds_the_lock_is_waited_for_and_then_not",
            ),
            "a command itself waits as long as the kernel makes it",
        ),
    ),
}  # fmt: skip
