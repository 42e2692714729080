package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.lockfile.LockFileOperations.Attempt;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Scripted interleavings of processes")
class ScriptedScheduleTest {
    private static final String STALE = "pid=99\ntimestamp=1234567890\n";
    private static final long LONG_AGO = 1234567890;

    private final Simulation simulation = new Simulation(1);
    private final List<String> warnings = new ArrayList<>();

    @AfterEach
    void end() {
        simulation.close();
    }

    /** A process that makes one attempt and then holds the lock until it is run again. */
    private final class One implements SimulatedProcess.Program {
        final SimulatedProcess process;
        boolean acquired;
        boolean lost;

        One(String name) {
            process = simulation.add(name, this);
        }

        @Override
        public void run(SimulatedProcess self) throws IOException {
            LockFileOperations operations =
                    LibraryProcess.operations(self, Duration.ZERO, warnings);
            if (operations.attempt(null) instanceof Attempt.Acquired success) {
                acquired = true;
                self.step("holds");
                Guard guard = new Guard(operations, success.held());
                guard.heartbeat();
                self.step("wants to release");
                try {
                    guard.release();
                } catch (LockLostException e) {
                    lost = true;
                }
            }
            self.audit.check();
        }

        void attempts() {
            runsUntil("holds");
        }

        void runsUntil(String step) {
            simulation.runUntil(process, step);
        }

        void finishes() {
            simulation.finish(process);
        }
    }

    private @Nullable Long lockHolder() {
        var inode = simulation.folder().at(Simulation.LOCK);
        Holder holder =
                inode == null ? null : LockFile.parse(inode.bytes(), inode.modified()).holder();
        return holder == null ? null : holder.pid();
    }

    private void sleepPastTheTimeout() {
        simulation.setClock(simulation.now() + Simulation.STALE.toSeconds() + 1);
    }

    @Test
    void a_takeover_suspended_before_its_removal_excludes_others_and_succeeds() {
        simulation.plant(STALE, LONG_AGO);
        var first = new One("first");
        var second = new One("second");
        first.runsUntil("rename my.lock");
        second.attempts();
        assertThat(second.acquired).isFalse();
        first.attempts();
        assertThat(first.acquired).isTrue();
        assertThat(lockHolder()).isEqualTo(first.process.pid);
    }

    @Test
    void a_takeover_suspended_before_locking_the_sidecar_leaves_the_winners_file() {
        simulation.plant(STALE, LONG_AGO);
        var first = new One("first");
        var second = new One("second");
        first.runsUntil("lock my.lock.guard");
        second.attempts();
        assertThat(second.acquired).isTrue();
        first.attempts();
        assertThat(first.acquired).isFalse();
        assertThat(lockHolder()).isEqualTo(second.process.pid);
        second.finishes();
        assertThat(second.lost).isFalse();
    }

    @Test
    void a_takeover_concurrent_with_a_naive_one_puts_the_winners_file_back() {
        simulation.plant(STALE, LONG_AGO);
        var ours = new One("ours");
        var mutualExclusionChecker = new MutualExclusionChecker();
        SimulatedProcess naive =
                simulation.add("naive", new NaiveProgram(mutualExclusionChecker, 1));
        ours.runsUntil("rename my.lock");
        simulation.runUntil(naive, "delete my.lock"); // the stale file
        simulation.runUntil(naive, "delete my.lock"); // its own file, at its release
        assertThat(mutualExclusionChecker.turns()).isEqualTo(1);
        ours.attempts();
        assertThat(ours.acquired).isFalse();
        assertThat(ours.process.audit.putBack()).isEqualTo(1);
        assertThat(lockHolder()).isEqualTo(naive.pid);
        assertThat(warnings).isEmpty();
    }

    @Test
    void a_stale_file_that_cannot_be_read_after_its_removal_does_not_replace_a_new_lock() {
        simulation.plant(STALE, LONG_AGO);
        var ours = new One("ours");
        ours.process.disk.failing(looksAtARemovedFile());
        ours.runsUntil("link my.lock");
        var other = new One("other");
        other.attempts();
        assertThat(other.acquired).isTrue();
        ours.finishes();
        assertThat(ours.acquired).isFalse();
        assertThat(warnings).last().asString().contains("could not be removed");
        assertThat(lockHolder()).isEqualTo(other.process.pid);
        other.finishes();
        assertThat(other.lost).isFalse();
        assertThat(simulation.trace())
                .as("what could replace a file")
                .doesNotContain("ours: rename .old");
    }

    @Test
    void a_stale_file_that_its_holder_abandons_during_its_removal_is_not_kept() {
        simulation.plant(STALE, LONG_AGO);
        var ours = new One("ours");
        ours.runsUntil("look .old");
        abandonRemovedFile();
        simulation.plant("pid=77\ntimestamp=" + simulation.now() + "\n", simulation.now());
        ours.attempts();
        assertThat(ours.acquired).isFalse();
        assertThat(warnings).isEmpty();
        assertThat(simulation.folder().paths()).noneMatch(path -> path.toString().endsWith(".old"));
    }

    private void abandonRemovedFile() {
        SimulatedFolder folder = simulation.folder();
        Path removed =
                folder.paths().stream()
                        .filter(path -> path.toString().endsWith(".old"))
                        .findAny()
                        .orElseThrow();
        byte[] abandoned = "pid=00\ntimestamp=0000000000\n".getBytes(UTF_8);
        folder.write(requireNonNull(folder.at(removed)), abandoned, simulation.instant());
    }

    private static SimulatedDisk.Fault looksAtARemovedFile() {
        return (call, path) ->
                call.equals("look") && path.toString().endsWith(".old")
                        ? new FileSystemException(path.toString(), null, "Input/output error")
                        : null;
    }

    @Test
    void a_takeover_of_debris_that_was_replaced_puts_the_new_file_back() {
        simulation.plant("", LONG_AGO);
        var ours = new One("ours");
        ours.runsUntil("rename my.lock");
        simulation.removeLock();
        simulation.plant("", simulation.now()); // of a script that has not written its content yet
        ours.attempts();
        assertThat(ours.acquired).isFalse();
        assertThat(ours.process.audit.putBack()).isEqualTo(1);
        assertThat(simulation.folder().at(Simulation.LOCK)).isNotNull();
    }

    @Test
    void an_acquire_suspended_before_publishing_leaves_the_file_of_a_script() {
        var ours = new One("ours");
        ours.runsUntil("link my.lock");
        simulation.plant("pid=77\ntimestamp=" + simulation.now() + "\n", simulation.now());
        ours.attempts();
        assertThat(ours.acquired).isFalse();
        assertThat(lockHolder()).isEqualTo(77);
        assertThat(simulation.folder().paths()).containsExactly(Simulation.LOCK);
    }

    @Test
    void a_displaced_holder_is_notified_and_leaves_the_successors_file() {
        var sleeper = new One("sleeper");
        sleeper.attempts();
        sleepPastTheTimeout();
        var successor = new One("successor");
        successor.attempts();
        assertThat(successor.acquired).isTrue();
        sleeper.finishes();
        assertThat(sleeper.lost).isTrue();
        assertThat(lockHolder()).isEqualTo(successor.process.pid);
        successor.finishes();
        assertThat(successor.lost).isFalse();
    }

    @Test
    void a_holder_displaced_between_its_heartbeat_and_its_release_removes_nothing() {
        var sleeper = new One("sleeper");
        sleeper.runsUntil("wants to release");
        sleepPastTheTimeout();
        var successor = new One("successor");
        successor.attempts();
        sleeper.finishes();
        assertThat(sleeper.lost).isTrue();
        assertThat(lockHolder()).isEqualTo(successor.process.pid);
    }

    @Test
    void a_holder_whose_file_was_replaced_by_a_copy_is_notified_and_leaves_the_copy() {
        var holder = new One("holder");
        holder.attempts();
        var copy = new String(simulation.folder().at(Simulation.LOCK).bytes(), UTF_8);
        simulation.removeLock();
        simulation.plant(copy, simulation.now());
        holder.finishes(); // its heartbeats do not write to the copy
        assertThat(holder.lost).isTrue();
        assertThat(lockHolder()).isEqualTo(holder.process.pid);
    }

    @Test
    void a_heartbeat_during_a_takeover_keeps_the_lock_or_reports_its_loss() {
        var sleeper = new One("sleeper");
        sleeper.attempts();
        sleepPastTheTimeout();
        var taker = new One("taker");
        taker.runsUntil("rename my.lock");
        sleeper.runsUntil("wants to release"); // its heartbeat does not wait for the sidecar
        taker.attempts();
        assertThat(taker.acquired).isFalse();
        assertThat(lockHolder()).isEqualTo(sleeper.process.pid);
        sleeper.finishes();
        assertThat(sleeper.lost).isFalse();
        assertThat(simulation.folder().at(Simulation.LOCK)).isNull();
    }

    @Test
    void a_release_while_the_sidecar_is_busy_leaves_a_lock_that_can_be_taken_over() {
        var holder = new One("holder");
        holder.runsUntil("wants to release");
        SimulatedProcess busy =
                simulation.add(
                        "busy",
                        self ->
                                self.disk.locked(
                                        Simulation.SIDECAR,
                                        Duration.ZERO,
                                        () -> {
                                            self.step("is busy");
                                            return true;
                                        }));
        simulation.runUntil(busy, "is busy");
        holder.finishes();
        assertThat(holder.lost).isFalse();
        assertThat(lockHolder()).isZero();
        assertThat(warnings).singleElement().asString().contains("could not be removed");

        var refused = new One("refused");
        refused.attempts();
        assertThat(refused.acquired).isFalse();

        simulation.finish(busy);
        var next = new One("next");
        next.attempts();
        assertThat(next.acquired).isTrue();
    }

    @Test
    void a_process_killed_with_the_sidecar_locked_excludes_no_other() {
        simulation.plant(STALE, LONG_AGO);
        var killed = new One("killed");
        killed.runsUntil("rename my.lock");
        simulation.kill(killed.process);
        var next = new One("next");
        next.attempts();
        assertThat(next.acquired).isTrue();
    }

    @Test
    void a_process_killed_between_the_removal_and_the_new_lock_leaves_the_lock_free() {
        simulation.plant(STALE, LONG_AGO);
        var killed = new One("killed");
        killed.runsUntil("link my.lock");
        simulation.kill(killed.process);
        assertThat(simulation.folder().at(Simulation.LOCK)).isNull();
        var next = new One("next");
        next.attempts();
        assertThat(next.acquired).isTrue();
    }
}
