package io.holdfast.client.socketlock.seat;

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

@DisplayName("The grace of a new primary")
@Execution(ExecutionMode.CONCURRENT)
class GraceIT {
    private static final ProcessName OWN = ProcessName.own();

    @TempDir private Path folder;
    private final List<Seat> seats = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        seats.forEach(Seat::close);
        processes.forEach(Process::destroyForcibly);
    }

    private Path path() {
        return folder.resolve("s");
    }

    private Seat take() throws IOException {
        Seat.Attempt attempt = Seat.tryTake(path());
        assertThat(attempt).isInstanceOf(Seat.Attempt.Taken.class);
        Seat seat = ((Seat.Attempt.Taken) attempt).seat();
        seats.add(seat);
        return seat;
    }

    /** A primary that serves; its listener is closed again, as if its process had ended. */
    private Seat serve() throws IOException {
        Seat seat = take();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(seat.bindPath()));
            seat.publish();
        }
        return seat;
    }

    private static HoldRecord hold(
            Seat seat, boolean write, String clientId, String lockId, ProcessName process) {
        return Objects.requireNonNull(seat.record(write, clientId, lockId, process, 1));
    }

    private static HoldRecord hold(Seat seat, String lockId) {
        return hold(seat, true, "c", lockId, OWN);
    }

    /** Somebody says that it still has a hold, which is then booked. */
    private static @Nullable HoldRecord reassert(
            Grace grace,
            boolean write,
            String clientId,
            String lockId,
            long epoch,
            ProcessName process) {
        HoldRecord hold = grace.reassert(write, clientId, lockId, epoch, process, 2);
        if (hold != null) {
            grace.booked();
        }
        return hold;
    }

    private static @Nullable HoldRecord reassert(Seat seat, String lockId, long epoch) {
        return reassert(seat.grace(), true, "c", lockId, epoch, OWN);
    }

    private static boolean isOver(Seat seat) {
        return seat.grace().isOver(System.nanoTime());
    }

    /** Looks again and again until its whole length has passed, as a primary does. */
    private static boolean isOverAtLast(Seat seat) {
        long now = System.nanoTime();
        for (int tenth = 1; tenth < 10; tenth++) {
            seat.grace().isOver(now + Grace.LENGTH_NANOS / 10 * tenth);
        }
        return seat.grace().isOver(now + Grace.LENGTH_NANOS);
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

    // ---- nothing to wait for

    @Test
    void is_none_on_a_new_path() throws Exception {
        assertThat(isOver(take())).isTrue();
    }

    @Test
    void is_none_after_a_crash_with_nothing_held() throws Exception {
        Seat first = serve();
        first.erase(hold(first, "l1"));
        first.close();

        Seat next = take();
        assertThat(isOver(next)).isTrue();
        assertThat(reassert(next, "l1", first.epoch())).isNull();
    }

    @Test
    void is_none_after_a_reboot() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> text.replaceFirst(" boot .", " boot ?"));

        Seat next = take();
        assertThat(isOver(next)).isTrue();
        assertThat(next.epoch()).isGreaterThan(first.epoch());
        assertThat(reassert(next, "l1", first.epoch())).isNull();
    }

    // ---- those who are listed

    @Test
    void ends_when_all_are_back() throws Exception {
        Seat first = serve();
        hold(first, false, "c1", "l1", OWN);
        hold(first, false, "c2", "l2", OWN);
        first.close();
        Seat next = take();
        Grace grace = next.grace();

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(grace, false, "c1", "l1", first.epoch(), OWN)).isNotNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(grace, false, "c1", "l1", first.epoch(), OWN)).isNull(); // once
        assertThat(reassert(grace, false, "c2", "l2", first.epoch(), OWN)).isNotNull();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void waits_until_one_that_is_back_is_booked() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Seat next = take();
        Grace grace = next.grace();

        assertThat(grace.reassert(true, "c", "l1", first.epoch(), OWN, 2)).isNotNull();
        assertThat(isOver(next)).isFalse();
        grace.booked();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void is_for_those_only_who_held_something() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Seat next = take();
        Grace grace = next.grace();
        long epoch = first.epoch();

        assertThat(reassert(grace, false, "c", "l1", epoch, OWN)).isNull();
        assertThat(reassert(grace, true, "c", "l2", epoch, OWN)).isNull();
        assertThat(reassert(grace, true, "c", "l1", epoch - 1, OWN)).isNull();
        assertThat(reassert(grace, true, "c", "l1", 0, OWN)).isNull();
        assertThat(reassert(grace, true, "c", "l1", epoch, ProcessName.UNKNOWN)).isNull();
        assertThat(reassert(grace, true, "c", "l1", epoch, ProcessName.of(sleeper().pid())))
                .isNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(grace, true, "c", "l1", epoch, OWN)).isNotNull();
    }

    @Test
    void ends_at_once_for_a_process_that_is_gone() throws Exception {
        Process process = sleeper();
        Seat first = serve();
        hold(first, true, "c", "l1", ProcessName.of(process.pid()));
        first.close();
        Seat next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(next.grace().nextLookNanos() - System.nanoTime()).isLessThan(100_000_000L);
        process.destroyForcibly().waitFor();

        await().until(() -> isOver(next));
        next.close();
        assertThat(isOver(take())).isTrue();
    }

    @Test
    void ends_for_a_client_that_is_back_and_wants_nothing() throws Exception {
        Seat first = serve();
        hold(first, true, "c", "l1", OWN);
        first.close();
        Seat next = take();
        Grace grace = next.grace();
        grace.settled("other", OWN);
        grace.settled("c", ProcessName.UNKNOWN);
        grace.settled("c", ProcessName.of(sleeper().pid()));
        assertThat(isOver(next)).isFalse();
        grace.settled("c", OWN);

        assertThat(isOver(next)).isTrue();
        assertThat(reassert(next, "l1", first.epoch())).isNull();
    }

    @Test
    void does_not_settle_what_its_client_has_claimed() throws Exception {
        Seat first = serve();
        hold(first, true, "c", "l1", OWN);
        first.close();
        Seat next = take();
        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
        next.grace().settled("c", OWN);
        assertThat(isOver(next)).isTrue();
        next.close();

        // It is still listed for the one after.
        Seat third = take();
        assertThat(isOver(third)).isFalse();
        assertThat(reassert(third, "l1", next.epoch())).isNotNull();
    }

    @Test
    void does_not_last_longer_than_five_seconds() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Seat next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(next.grace().nextLookNanos())
                .isLessThanOrEqualTo(System.nanoTime() + Grace.LENGTH_NANOS);
        assertThat(isOverAtLast(next)).isTrue();
        assertThat(isOver(next)).isTrue(); // for good
        assertThat(reassert(next, "l1", first.epoch())).isNull();
        next.close();
        assertThat(isOver(take())).isTrue(); // nobody is waited for twice
    }

    @Test
    void goes_on_for_a_moment_if_it_was_the_primary_that_was_stopped() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Seat next = take();
        assertThat(isOver(next)).isFalse();

        long later = System.nanoTime() + 3 * Grace.LENGTH_NANOS;
        assertThat(next.grace().isOver(later)).isFalse(); // what waits to be read comes first
        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
        assertThat(next.grace().isOver(later)).isTrue();
    }

    @Test
    void ends_soon_after_such_a_stop() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Seat next = take();

        long later = System.nanoTime() + 3 * Grace.LENGTH_NANOS;
        assertThat(next.grace().isOver(later)).isFalse();
        assertThat(next.grace().isOver(later + 900_000_000)).isFalse();
        assertThat(next.grace().isOver(later + 1_000_000_000)).isTrue();
    }

    @Test
    void knows_the_holders_if_a_primary_ended_while_it_gave_its_socket_its_name() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Path kept = folder.resolve("kept");
        Files.createLink(kept, path());
        serve().close();
        // As if the name had not been given yet: the file of before is there, with its identity.
        Files.move(kept, path(), StandardCopyOption.REPLACE_EXISTING);

        Seat third = take();
        assertThat(reassert(third, "l1", first.epoch())).isNotNull();
    }

    @Test
    void waits_for_the_holders_of_the_one_before_the_last() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        take().close(); // ends in its grace
        Seat third = take();

        assertThat(isOver(third)).isFalse();
        assertThat(reassert(third, "l1", first.epoch())).isNotNull();
    }

    @Test
    void knows_a_hold_without_a_process_by_its_id() throws Exception {
        Seat first = serve();
        hold(first, true, "c", "l1", ProcessName.UNKNOWN);
        first.close();
        Seat next = take();
        next.grace().settled("c", ProcessName.UNKNOWN);

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
    void knows_ids_of_every_kind(String id) throws Exception {
        Seat first = serve();
        hold(first, true, id, id, OWN);
        hold(first, true, id + "2", id + "2", OWN);
        first.close();
        Seat next = take();

        assertThat(reassert(next, id, first.epoch())).isNotNull();
        next.grace().settled(id, OWN);
        assertThat(isOver(next)).isFalse();
        next.grace().settled(id + "2", OWN);
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void knows_more_holds_than_there_was_room_for_at_first() throws Exception {
        Seat first = serve();
        List<HoldRecord> holds = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            holds.add(hold(first, false, "c", "l" + i, OWN));
        }
        for (int i = 0; i < 100; i += 2) {
            first.erase(holds.get(i));
        }
        hold(first, false, "c", "last", OWN);
        first.close();
        Grace grace = take().grace();

        for (int i = 1; i < 100; i += 2) {
            assertThat(grace.isOver(System.nanoTime())).isFalse();
            assertThat(reassert(grace, false, "c", "l" + i, first.epoch(), OWN)).isNotNull();
        }
        assertThat(reassert(grace, false, "c", "l0", first.epoch(), OWN)).isNull();
        assertThat(reassert(grace, false, "c", "last", first.epoch(), OWN)).isNotNull();
        assertThat(grace.isOver(System.nanoTime())).isTrue();
    }

    // ---- those who are not

    @Test
    void is_complete_after_an_unknown_peer() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
        }
        Seat seat = serve();

        assertThat(isOver(seat)).isFalse();
        assertThat(reassert(seat, "l1", 5)).isNull();
        assertThat(reassert(seat, "l1", 0)).isNotNull();
        assertThat(isOver(seat)).isFalse(); // there may be others
        assertThat(isOverAtLast(seat)).isTrue();
        assertThat(reassert(seat, "l2", 0)).isNull();
        seat.close();
        Seat next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", seat.epoch())).isNotNull();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void is_complete_again_if_the_one_before_did_not_live_through_its_own() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
        }
        Seat first = serve();
        assertThat(isOver(first)).isFalse();
        first.leave();
        first.close();

        Seat next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void is_complete_after_a_stranger_that_left_nothing() throws Exception {
        Seat.Attempt.Taken taken =
                (Seat.Attempt.Taken) Seat.tryTake(path(), true); // who asks was its client
        try {
            assertThat(isOver(taken.seat())).isFalse();
            assertThat(reassert(taken.seat(), "l1", 0)).isNotNull();
            assertThat(isOverAtLast(taken.seat())).isTrue();
        } finally {
            taken.seat().close();
        }
    }

    @Test
    void is_complete_after_a_peer_that_served_between() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        Files.delete(path());
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
        }
        Seat next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", first.epoch())).isNull(); // not its lock any more
        assertThat(reassert(next, "l2", 0)).isNotNull();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void is_complete_when_the_header_cannot_be_read() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> "x" + text.substring(1));
        Seat next = serve();

        assertThat(isOver(next)).isFalse();
        assertThat(next.epoch()).isGreaterThan(first.epoch());
        assertThat(isOverAtLast(next)).isTrue();
        next.close();
        assertThat(isOver(take())).isTrue();
    }

    @Test
    void is_complete_when_a_record_cannot_be_read() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        hold(first, "l2");
        first.close();
        rewrite(text -> text.replaceFirst("hold write [0-9]", "hold write ?"));
        Seat next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l2", first.epoch())).isNotNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l1", first.epoch())).isNotNull(); // it may have been this one
        assertThat(isOver(next)).isFalse();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void takes_a_file_that_ends_too_early() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> text.substring(0, 300));
        Seat next = take();

        assertThat(isOver(next)).isFalse();
        assertThat(isOverAtLast(next)).isTrue();
    }

    @Test
    void is_complete_when_the_list_is_said_to_have_gaps() throws Exception {
        Seat first = serve();
        hold(first, "l1");
        first.close();
        rewrite(text -> text.replaceFirst("state active (.*)  \n", "state unlisted $1\n"));
        Seat next = take();

        assertThat(reassert(next, "l1", first.epoch())).isNotNull();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l2", first.epoch())).isNotNull();
        assertThat(reassert(next, "l3", 0)).isNull();
        assertThat(isOverAtLast(next)).isTrue();
    }
}
