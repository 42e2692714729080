package io.holdfast.socketlock.internal.primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

@DisplayName("The grace period of a new primary")
@Execution(ExecutionMode.CONCURRENT)
class TakeoverGracePeriodIT {
    private static final ProcessIdentity OWN = ProcessIdentity.own();

    @TempDir private Path folder;
    private final List<PrimaryLock> primaryLocks = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        primaryLocks.forEach(PrimaryLock::close);
        processes.forEach(Process::destroyForcibly);
    }

    private Path path() {
        return folder.resolve("s");
    }

    /**
     * Tries again while a socket listens: a process that another test starts in the same moment
     * inherits the listener, and closes it a little later.
     */
    private PrimaryLock take() {
        PrimaryLock.Attempt attempt =
                await().until(
                                () -> PrimaryLock.tryTake(path()),
                                PrimaryLock.Attempt.Taken.class::isInstance);
        PrimaryLock primaryLock = ((PrimaryLock.Attempt.Taken) attempt).primaryLock();
        primaryLocks.add(primaryLock);
        return primaryLock;
    }

    /** A primary that serves; its listener is closed again, as if its process had ended. */
    private PrimaryLock serve() throws IOException {
        PrimaryLock primaryLock = take();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(primaryLock.bindPath()));
            primaryLock.publish();
        }
        return primaryLock;
    }

    private static HoldRecord hold(
            PrimaryLock primaryLock,
            boolean write,
            String clientId,
            String lockId,
            ProcessIdentity process) {
        return Objects.requireNonNull(primaryLock.record(write, clientId, lockId, process, 1));
    }

    private static HoldRecord hold(PrimaryLock primaryLock, String lockId) {
        return hold(primaryLock, true, "c", lockId, OWN);
    }

    /** A client re-asserts a hold, and the re-assertion is handled. */
    private static @Nullable HoldRecord reassert(
            TakeoverGracePeriod takeoverGracePeriod,
            boolean write,
            String clientId,
            String lockId,
            long epoch,
            ProcessIdentity process) {
        HoldRecord hold = takeoverGracePeriod.reassert(write, clientId, lockId, epoch, process, 2);
        if (hold != null) {
            takeoverGracePeriod.reassertionHandled();
        }
        return hold;
    }

    private static @Nullable HoldRecord reassert(
            PrimaryLock primaryLock, String lockId, long epoch) {
        return reassert(primaryLock.grace(), true, "c", lockId, epoch, OWN);
    }

    private static boolean isOver(PrimaryLock primaryLock) {
        return primaryLock.grace().isOver(System.nanoTime());
    }

    /** Checks repeatedly until the maximum length has passed, as a primary does. */
    private static boolean isOverAtLast(PrimaryLock primaryLock) {
        long now = System.nanoTime();
        for (int tenth = 1; tenth < 10; tenth++) {
            primaryLock.grace().isOver(now + TakeoverGracePeriod.LENGTH_NANOS / 10 * tenth);
        }
        return primaryLock.grace().isOver(now + TakeoverGracePeriod.LENGTH_NANOS);
    }

    private void rewrite(UnaryOperator<String> change) throws IOException {
        Path file = folder.resolve("s.lock");
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        Files.writeString(file, change.apply(text), StandardCharsets.ISO_8859_1);
    }

    private Process sleeper() throws IOException {
        Process process = new ProcessBuilder("sleep", "60").start();
        processes.add(process);
        return process;
    }

    // ---- no holds

    @Test
    void there_is_no_grace_period_on_a_new_path() throws Exception {
        assertThat(isOver(take())).isTrue();
    }

    @Test
    void there_is_no_grace_period_after_a_crash_without_holds() throws Exception {
        PrimaryLock first = serve();
        first.erase(hold(first, "l1"));
        first.close();

        PrimaryLock next = take();
        assertThat(isOver(next)).isTrue();
        assertThat(reassert(next, "l1", first.epoch())).isNull();
    }

    @Test
    void there_is_no_grace_period_after_a_reboot() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> text.replaceFirst(" boot .", " boot ?"));

        PrimaryLock next = take();
        assertThat(isOver(next)).isTrue();
        assertThat(next.epoch()).isGreaterThan(first.epoch());
        assertThat(reassert(next, "l1", first.epoch())).isNull();
    }

    // ---- listed holds

    @Test
    void the_grace_period_ends_when_all_holders_have_reasserted() throws Exception {
        PrimaryLock first = serve();
        hold(first, false, "c1", "l1", OWN);
        hold(first, false, "c2", "l2", OWN);
        first.close();
        PrimaryLock next = take();
        TakeoverGracePeriod takeoverGracePeriod = next.grace();

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(takeoverGracePeriod, false, "c1", "l1", first.epoch(), OWN))
                .isNotNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(takeoverGracePeriod, false, "c1", "l1", first.epoch(), OWN))
                .isNull(); // once
        assertThat(reassert(takeoverGracePeriod, false, "c2", "l2", first.epoch(), OWN))
                .isNotNull();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void the_grace_period_waits_until_a_reassertion_is_handled() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        PrimaryLock next = take();
        TakeoverGracePeriod takeoverGracePeriod = next.grace();

        assertThat(takeoverGracePeriod.reassert(true, "c", "l1", first.epoch(), OWN, 2))
                .isNotNull();
        assertThat(isOver(next)).isFalse();
        takeoverGracePeriod.reassertionHandled();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void only_listed_holds_can_be_reasserted() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        PrimaryLock next = take();
        TakeoverGracePeriod takeoverGracePeriod = next.grace();
        long epoch = first.epoch();

        assertThat(reassert(takeoverGracePeriod, false, "c", "l1", epoch, OWN)).isNull();
        assertThat(reassert(takeoverGracePeriod, true, "c", "l2", epoch, OWN)).isNull();
        assertThat(reassert(takeoverGracePeriod, true, "c", "l1", epoch - 1, OWN)).isNull();
        assertThat(reassert(takeoverGracePeriod, true, "c", "l1", 0, OWN)).isNull();
        assertThat(reassert(takeoverGracePeriod, true, "c", "l1", epoch, ProcessIdentity.UNKNOWN))
                .isNull();
        assertThat(
                        reassert(
                                takeoverGracePeriod,
                                true,
                                "c",
                                "l1",
                                epoch,
                                ProcessIdentity.of(sleeper().pid())))
                .isNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(takeoverGracePeriod, true, "c", "l1", epoch, OWN)).isNotNull();
    }

    @Test
    void the_grace_period_ends_at_once_for_a_process_that_is_gone() throws Exception {
        Process process = sleeper();
        PrimaryLock first = serve();
        hold(first, true, "c", "l1", ProcessIdentity.of(process.pid()));
        first.close();
        PrimaryLock next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(next.grace().nextLookNanos() - System.nanoTime()).isLessThan(100_000_000L);
        process.destroyForcibly().waitFor();

        await().until(() -> isOver(next));
        next.close();
        assertThat(isOver(take())).isTrue();
    }

    @Test
    void the_grace_period_ends_for_a_client_that_is_back_without_a_reassertion() throws Exception {
        PrimaryLock first = serve();
        hold(first, true, "c", "l1", OWN);
        first.close();
        PrimaryLock next = take();
        TakeoverGracePeriod takeoverGracePeriod = next.grace();
        takeoverGracePeriod.reassertionsDone("other", OWN);
        takeoverGracePeriod.reassertionsDone("c", ProcessIdentity.UNKNOWN);
        takeoverGracePeriod.reassertionsDone("c", ProcessIdentity.of(sleeper().pid()));
        assertThat(isOver(next)).isFalse();
        takeoverGracePeriod.reassertionsDone("c", OWN);

        assertThat(isOver(next)).isTrue();
        assertThat(reassert(next, "l1", first.epoch())).isNull();
    }

    @Test
    void the_end_of_reassertions_keeps_the_reasserted_holds() throws Exception {
        PrimaryLock first = serve();
        hold(first, true, "c", "l1", OWN);
        first.close();
        PrimaryLock next = take();
        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
        next.grace().reassertionsDone("c", OWN);
        assertThat(isOver(next)).isTrue();
        next.close();

        // It is still listed for the next primary.
        PrimaryLock third = take();
        assertThat(isOver(third)).isFalse();
        assertThat(reassert(third, "l1", next.epoch())).isNotNull();
    }

    @Test
    void the_grace_period_lasts_at_most_five_seconds() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        PrimaryLock next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(next.grace().nextLookNanos())
                .isLessThanOrEqualTo(System.nanoTime() + TakeoverGracePeriod.LENGTH_NANOS);
        assertThat(isOverAtLast(next)).isTrue();
        assertThat(isOver(next)).isTrue(); // permanently
        assertThat(reassert(next, "l1", first.epoch())).isNull();
        next.close();
        assertThat(isOver(take())).isTrue(); // a second primary does not wait again
    }

    @Test
    void the_grace_period_is_extended_if_the_primary_was_suspended() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        PrimaryLock next = take();
        assertThat(isOver(next)).isFalse();

        long later = System.nanoTime() + 3 * TakeoverGracePeriod.LENGTH_NANOS;
        assertThat(next.grace().isOver(later)).isFalse(); // unread messages are processed first
        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
        assertThat(next.grace().isOver(later)).isTrue();
    }

    @Test
    void an_extended_grace_period_ends_soon() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        PrimaryLock next = take();

        long later = System.nanoTime() + 3 * TakeoverGracePeriod.LENGTH_NANOS;
        assertThat(next.grace().isOver(later)).isFalse();
        assertThat(next.grace().isOver(later + 900_000_000)).isFalse();
        assertThat(next.grace().isOver(later + 1_000_000_000)).isTrue();
    }

    @Test
    void holds_are_known_if_a_primary_ended_while_publishing_its_socket() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        Path kept = folder.resolve("kept");
        Files.createLink(kept, path());
        serve().close();
        // As if the socket had not been published yet: the previous file is there, with its
        // identity.
        Files.move(kept, path(), StandardCopyOption.REPLACE_EXISTING);

        PrimaryLock third = take();
        assertThat(reassert(third, "l1", first.epoch())).isNotNull();
    }

    @Test
    void holders_of_the_primary_before_the_last_are_waited_for() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        take().close(); // ends within its grace period
        PrimaryLock third = take();

        assertThat(isOver(third)).isFalse();
        assertThat(reassert(third, "l1", first.epoch())).isNotNull();
    }

    @Test
    void a_hold_of_an_unknown_process_is_matched_by_its_id() throws Exception {
        PrimaryLock first = serve();
        hold(first, true, "c", "l1", ProcessIdentity.UNKNOWN);
        first.close();
        PrimaryLock next = take();
        next.grace().reassertionsDone("c", ProcessIdentity.UNKNOWN);

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "l",
                "\u00ff\u00fe\u0001",
                "~0123",
                "free",
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
            })
    void holds_with_any_id_can_be_reasserted(String id) throws Exception {
        PrimaryLock first = serve();
        hold(first, true, id, id, OWN);
        hold(first, true, id + "2", id + "2", OWN);
        first.close();
        PrimaryLock next = take();

        assertThat(reassert(next, id, first.epoch())).isNotNull();
        next.grace().reassertionsDone(id, OWN);
        assertThat(isOver(next)).isFalse();
        next.grace().reassertionsDone(id + "2", OWN);
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void more_holds_than_initially_allocated_can_be_reasserted() throws Exception {
        PrimaryLock first = serve();
        List<HoldRecord> holds = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            holds.add(hold(first, false, "c", "l" + i, OWN));
        }
        for (int i = 0; i < 100; i += 2) {
            first.erase(holds.get(i));
        }
        hold(first, false, "c", "last", OWN);
        first.close();
        TakeoverGracePeriod takeoverGracePeriod = take().grace();

        for (int i = 1; i < 100; i += 2) {
            assertThat(takeoverGracePeriod.isOver(System.nanoTime())).isFalse();
            assertThat(reassert(takeoverGracePeriod, false, "c", "l" + i, first.epoch(), OWN))
                    .isNotNull();
        }
        assertThat(reassert(takeoverGracePeriod, false, "c", "l0", first.epoch(), OWN)).isNull();
        assertThat(reassert(takeoverGracePeriod, false, "c", "last", first.epoch(), OWN))
                .isNotNull();
        assertThat(takeoverGracePeriod.isOver(System.nanoTime())).isTrue();
    }

    // ---- unlisted holds

    @Test
    void the_grace_period_has_full_length_after_an_unknown_primary() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
        }
        PrimaryLock primaryLock = serve();

        assertThat(isOver(primaryLock)).isFalse();
        assertThat(reassert(primaryLock, "l1", 5)).isNull();
        assertThat(reassert(primaryLock, "l1", 0)).isNotNull();
        assertThat(isOver(primaryLock)).isFalse(); // there may be other holds
        assertThat(isOverAtLast(primaryLock)).isTrue();
        assertThat(reassert(primaryLock, "l2", 0)).isNull();
        primaryLock.close();
        PrimaryLock next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", primaryLock.epoch())).isNotNull();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void the_grace_period_has_full_length_if_the_previous_primary_ended_within_its_own()
            throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
        }
        PrimaryLock first = serve();
        assertThat(isOver(first)).isFalse();
        first.stopServing();
        first.close();

        PrimaryLock next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void the_grace_period_has_full_length_after_a_foreign_primary_without_traces()
            throws Exception {
        PrimaryLock.Attempt.Taken taken =
                (PrimaryLock.Attempt.Taken)
                        PrimaryLock.tryTake(path(), true); // the caller was its client
        try {
            assertThat(isOver(taken.primaryLock())).isFalse();
            assertThat(reassert(taken.primaryLock(), "l1", 0)).isNotNull();
            assertThat(isOverAtLast(taken.primaryLock())).isTrue();
        } finally {
            taken.primaryLock().close();
        }
    }

    @Test
    void the_grace_period_has_full_length_after_an_intermediate_foreign_primary() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        Files.delete(path());
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
        }
        PrimaryLock next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", first.epoch())).isNull(); // its lock has ended
        assertThat(reassert(next, "l2", 0)).isNotNull();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void the_grace_period_has_full_length_when_the_header_cannot_be_read() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> "x" + text.substring(1));
        PrimaryLock next = serve();

        assertThat(isOver(next)).isFalse();
        assertThat(next.epoch()).isGreaterThan(first.epoch());
        assertThat(isOverAtLast(next)).isTrue();
        next.close();
        assertThat(isOver(take())).isTrue();
    }

    @Test
    void the_grace_period_has_full_length_when_a_record_cannot_be_read() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        hold(first, "l2");
        first.close();
        rewrite(text -> text.replaceFirst("hold write [0-9]", "hold write ?"));
        PrimaryLock next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l2", first.epoch())).isNotNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", first.epoch()))
                .isNotNull(); // it may have been the unreadable hold
        assertThat(isOver(next)).isFalse();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void a_truncated_lock_file_can_be_read() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> text.substring(0, 300));
        PrimaryLock next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void the_grace_period_has_full_length_when_the_list_is_marked_incomplete() throws Exception {
        PrimaryLock first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> text.replaceFirst("state active (.*)  \n", "state unlisted $1\n"));
        PrimaryLock next = take();

        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l2", first.epoch())).isNotNull();
        assertThat(reassert(next, "l3", 0)).isNull();
        assertThat(isOverAtLast(next)).isTrue();
    }
}
