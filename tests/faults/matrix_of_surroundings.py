"""The rows of the fault matrix about file systems, concurrent programs, existing files and the environment."""

from __future__ import annotations

from tests.faults.row import FULL, INSIDE, KINDS, OURS, Row

SURROUNDINGS: dict[str, tuple[Row, ...]] = {
    "The file system is another one": (
        Row(
            21,
            "no hard links",
            "the rename that refuses to replace, else look and rename under the claim",
            (
                f"{KINDS}::test_a_message_is_archived_and_unarchived_without_a_changed_byte",
                "processes/test_other_disks.py::test_a_disk_without_hard_links_works",
                "processes/test_other_disks.py::test_without_the_system_calls_for_links_the_program_renames",
                INSIDE,
            ),
        ),
        Row(
            22,
            "links, and no rename that refuses to replace",
            "the link is tried first, so nothing is missed",
            (INSIDE, "core/test_publishing.py::test_it_gets_its_name"),
            "mergerfs behaves so and is not mounted here",
        ),
        Row(
            23,
            "neither of the two, many senders",
            "no message replaces another among senders of ours",
            (f"{KINDS}::test_eight_senders_at_once_have_eight_ids", "core/test_publishing.py::test_it_never_takes_another_s"),
            "a foreign writer on such a disk is outside of what can be promised",
        ),
        Row(
            24,
            "the inbox is a mount of its own",
            "staged once more inside, exit 0",
            (f"{KINDS}::test_a_message_is_archived_and_unarchived_without_a_changed_byte", "processes/test_other_disks.py::test_a_folder_that_is_a_mount_of_its_own_works", INSIDE),
        ),
        Row(
            25,
            "case is folded",
            "nothing is replaced; identities are lower case only",
            (f"{KINDS}::test_an_unknown_recipient_is_an_error_and_leaves_no_file", f"{KINDS}::test_eight_senders_at_once_have_eight_ids"),
        ),
        Row(
            26,
            "mounted read-only",
            "exit 75, nothing changed; looking works",
            (f"{FULL}::test_a_read_only_bus_can_be_read_and_takes_nothing", f"{FULL}::test_a_prune_of_a_read_only_archive_removes_nothing_and_reports_it"),
        ),
        Row(
            27,
            "a directory that is immutable",
            "exit 75, or 4 where both copies stay; nothing lost",
            (
                f"{OURS}::test_an_immutable_folder_takes_no_message",
                f"{OURS}::test_an_immutable_inbox_keeps_both_copies_and_reports_it",
                f"{OURS}::test_an_immutable_archive_leaves_the_message_waiting",
                f"{OURS}::test_an_immutable_archive_keeps_a_message_that_unarchive_asks_for",
                f"{OURS}::test_an_immutable_bus_keeps_its_registry",
            ),
        ),
        Row(
            28,
            "another user's, or no right to enter",
            "exit 75; never `no mail`; a hook says so",
            (
                f"{OURS}::test_a_bus_of_another_user_is_refused_with_any_mode",
                f"{OURS}::test_a_mailbox_of_another_user_is_refused",
                f"{OURS}::test_a_read_only_folder_takes_no_message_and_loses_none",
                f"{OURS}::test_an_inbox_that_cannot_be_listed_is_an_error_and_never_empty",
                "hosts/test_presented.py::test_an_unreadable_inbox_is_reported_each_time_and_never_as_empty",
            ),
        ),
        Row(
            29,
            "the tests of the program on ext4, xfs and tmpfs",
            "they pass there too",
            (f"{KINDS}::test_the_tests_of_the_program_pass_there",),
            "exFAT, which has neither modes nor symlinks, and a mount inside have the tests of rows 21 to 25; NFS, sshfs and btrfs are not mounted here",
        ),
    ),
    "Two at once": (
        Row(
            30,
            "the same id wanted in the same minute",
            "each has its own, all are there, in order",
            ("corpus/test_slugs.py::test_one_slug_200_times_in_a_minute_is_200_messages_in_order", f"{KINDS}::test_eight_senders_at_once_have_eight_ids", "laws/test_two_at_once.py::test_two_senders_of_one_minute_never_share_an_id"),
        ),
        Row(
            31,
            "two senders whose names and slugs make the same id",
            "a suffix, and each message names its sender",
            ("laws/test_nothing_is_replaced.py::test_two_senders_whose_ids_are_the_same_words",),
        ),
        Row(
            32,
            "an id that archiving frees while it is being sent",
            "it is not given again",
            ("laws/test_two_at_once.py::test_an_id_that_archiving_frees_is_not_given_again",),
        ),
        Row(
            33,
            "several archivers of one message",
            "all exit 0, one archived file",
            (f"{KINDS}::test_four_archivers_of_one_message_leave_one", "laws/test_nothing_is_replaced.py::test_four_programs_archive_one_message"),
        ),
        Row(
            34,
            "archiving, taking back and pruning beside each other",
            "the message is never in no place; what is archived now is not pruned",
            ("laws/test_two_at_once.py::test_archiving_and_taking_back_never_lose_the_message", "laws/test_two_at_once.py::test_what_is_archived_now_is_not_pruned_as_old", "laws/test_two_at_once.py::test_of_two_prunes_one_at_least_removes_what_is_past_its_age_and_none_fails_on_it"),
        ),
        Row(
            35,
            "many registrations",
            "every row is there",
            (f"{KINDS}::test_six_registrations_at_once_all_have_their_row",),
        ),
        Row(
            36,
            "a person saves the registry meanwhile",
            "both edits; where two names cannot be exchanged, unless the save comes after the last look",
            ("laws/test_an_editor_beside_a_registration.py::test_both_edits_are_there",),
            "an editor that saves an old buffer later takes the row away: doctor shows the mailbox without row",
        ),
        Row(
            37,
            "the host, or another that wires, rewrites the settings meanwhile",
            "read again before the replacement and after it",
            (
                "hosts/test_wire_meanwhile.py::test_what_another_program_saves_at_any_moment_is_kept_with_our_entries",
                "hosts/test_wire_meanwhile.py::test_concurrent_wire_and_unwire_leave_one_of_the_two_results",
                "hosts/test_unwire.py::test_later_changes_of_others_stay_and_only_ours_are_removed",
                "core/test_replacing.py::test_a_file_that_keeps_changing_is_left_to_its_editor",
            ),
        ),
    ),
    "What is found there": (
        Row(
            38,
            "something else under the archive's name: equal, cut, or another message",
            "equal counts as done; anything else stays, and ours goes beside it",
            (
                "laws/test_nothing_is_replaced.py::test_archiving_beside_another_file_of_the_name",
                "laws/test_nothing_is_replaced.py::test_archiving_beside_the_same_message_of_another_hand",
                f"{KINDS}::test_an_archived_message_is_never_replaced",
            ),
        ),
        Row(
            39,
            "staging left by a crash",
            "its id is passed by; never listed; removed after 36 hours when its lock is free",
            (
                "laws/test_only_dead_staging_is_reaped.py::test_a_stale_claim_costs_its_id_and_no_message",
                "laws/test_only_dead_staging_is_reaped.py::test_36_hours_are_waited_for",
                "laws/test_only_dead_staging_is_reaped.py::test_a_dead_claim_goes",
            ),
        ),
        Row(
            40,
            "a writer that was stopped for days",
            "it is not robbed; when somebody does, it stages again",
            (
                "laws/test_only_dead_staging_is_reaped.py::test_a_live_writer_is_never_robbed",
                "core/test_publishing.py::test_a_claim_that_somebody_cleans_away_is_staged_again",
            ),
        ),
        Row(
            41,
            "symlinks in the place of folders, messages, registry, lock",
            "not followed, but for a registry or settings that are ours",
            (
                "core/test_disk.py::test_a_symlink_is_never_followed",
                "core/test_replacing.py::test_a_lock_that_is_a_symlink_is_an_error",
                "corpus/test_prunes.py::test_a_prune_removes_nothing_if_a_folder_is_not_a_directory",
                "hosts/test_unwire.py::test_the_target_of_a_symlink_is_replaced_and_the_link_stays",
            ),
        ),
        Row(
            42,
            "a FIFO, a socket, a directory named like a message",
            "listed, never opened to wait, never archived, never pruned",
            (
                "corpus/test_message_ids.py::test_an_entry_that_is_not_a_file_is_neither_archived_nor_read_nor_waited_for",
                "corpus/test_names_in_an_inbox.py::test_an_entry_that_is_not_a_file_is_listed_and_never_opened",
                "corpus/test_prunes.py::test_a_prune_leaves_entries_that_are_not_files_and_their_targets",
                "hosts/test_presented.py::test_a_file_or_link_in_place_of_an_inbox_is_reported",
            ),
        ),
        Row(
            43,
            "folders of a mailbox are missing",
            "made when they are needed",
            ("hosts/test_presented.py::test_a_missing_inbox_is_created_without_an_error", "core/test_who_is_known.py::test_a_row_alone_gets_its_mailbox_when_it_is_needed_and_a_typo_gets_none"),
        ),
        Row(
            44,
            "a registry that is missing, empty, binary, too large, in conflict",
            "mail works where the mailbox is; registering makes a missing one and refuses the rest untouched",
            ("corpus/test_registry.py::test_a_malformed_registry_is_left_unchanged", "corpus/test_registry.py::test_an_unreadable_registry_is_not_treated_as_empty"),
        ),
        Row(
            45,
            "settings that are no JSON, read-only, another's; with a mark of byte order, with a mode, behind a symlink",
            "refused, untouched, with what to paste; mark, mode and link are kept",
            (
                "hosts/test_wire.py::test_a_file_that_is_not_understood_is_unchanged_and_the_snippet_is_printed",
                "hosts/test_unwire.py::test_a_read_only_file_is_a_temporary_failure",
                "hosts/test_unwire.py::test_a_file_or_a_directory_of_another_user_is_refused",
                "hosts/test_unwire.py::test_the_mode_is_kept",
                "hosts/test_unwire.py::test_the_target_of_a_symlink_is_replaced_and_the_link_stays",
                "hosts/test_settings.py::test_a_byte_order_mark_is_kept",
            ),
        ),
        Row(
            46,
            "a session's record, or the shell's memory of it, that is torn, a directory, unwritable",
            "everything is said again",
            (
                "hosts/test_presented.py::test_with_an_unusable_record_every_prompt_reports_everything",
                "hosts/test_presented.py::test_with_a_record_that_cannot_be_written_every_prompt_reports_everything",
                "hosts/test_throttle.py::test_python_looks_when",
                "ledger/test_receipts.py::test_a_torn_last_line_spoils_nothing_but_itself_and_the_next_line_is_whole",
            ),
        ),
        Row(
            47,
            "a mailbox with ten thousand messages",
            "one listing; a message costs the same to send and to archive",
            ("processes/test_ten_thousand.py::test_check_opens_and_reads_each_message_once_and_lists_the_inbox_once", "processes/test_ten_thousand.py::test_archiving_one_lists_nothing_and_costs_the_same_however_much_is_there", "hosts/test_notices.py::test_of_ten_thousand_messages_the_first_fit_and_later_prompts_list_the_rest"),
        ),
    ),
    "The surroundings": (
        Row(
            48,
            "a clock that is wrong, goes back, or is in another zone",
            "minutes are UTC; order is a matter of names; a wrong year removes nothing",
            (
                "laws/test_minutes_are_utc.py::test_the_zone_of_the_process_does_not_matter",
                "laws/test_only_age_removes.py::test_a_machine_that_starts_in_a_wrong_year_removes_nothing",
                "laws/test_only_age_removes.py::test_a_clock_years_ahead_removes_nothing_however_much_is_written_by_it",
                "laws/test_only_age_removes.py::test_a_clock_years_back_removes_nothing_and_stops_nothing_for_long",
                "laws/test_everything_waiting_is_shown.py::test_a_time_to_come_is_shown_last_and_said",
                "hosts/test_throttle.py::test_python_looks_when",
            ),
            "the order is that of the senders' clocks: what is sent after one was set back may stand before",
        ),
        Row(
            49,
            "times of files reset by a copy or a clone",
            "order the same; kept longer, never shorter",
            ("laws/test_only_age_removes.py::test_a_prune_removes_what_the_rule_says_and_nothing_else", "laws/test_oldest_first.py::test_the_order_of_the_listing_does_not_matter"),
        ),
        Row(
            50,
            "standard output closed or full",
            "what is done stays done: exit 4, the id on standard error",
            (
                "processes/test_descriptors.py::test_a_full_standard_output_does_not_make_a_delivery_a_failure",
                "processes/test_descriptors.py::test_with_closed_streams_every_command_does_its_work_and_nothing_lands_in_a_file",
            ),
        ),
        Row(51, "any umask", "directories 0700, files 0600, nothing widened", ("processes/test_modes.py::test_every_command_leaves_the_same_modes_under_umask", "processes/test_modes.py::test_a_registry_that_is_narrower_is_not_widened")),
        Row(
            52,
            "no HOME, a bus path that is relative, empty, a file, missing",
            "exit 2 or 3, nothing made; registering makes it where its parent is",
            ("corpus/test_the_place_of_the_bus.py::test_a_relative_bus_path_is_refused", "corpus/test_the_place_of_the_bus.py::test_a_bus_is_created_only_in_an_existing_directory", "corpus/test_the_place_of_the_bus.py::test_a_bus_path_that_is_a_file_is_refused"),
        ),
        Row(
            53,
            "a hook's input that is empty, no JSON, huge, of wrong types",
            "exit 0 in time, no traceback",
            ("hosts/test_hook_input.py",),
        ),
        Row(54, "a disk that lies about what it has written", "nothing", reason="no program can know; every promise ends at a sync that was answered"),
        Row(
            55,
            "half an hour of load with clock changes and waves of full disks",
            "as under load",
            reason="each part is tested alone; a soak of that length is run by hand: `python -m tests.faults -k load` in a loop",
        ),
    ),
}  # fmt: skip
