package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lockfile.SimulatedDisk.Fault;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

@DisplayName("Failures of the file system")
class FailingDiskPropertyTest {
    private static final Set<String> FILL_THE_DISK =
            Set.of("create", "write", "write-rest", "sync");
    private static final Set<String> NEED_PERMISSIONS =
            Set.of("create", "open", "link", "rename", "delete");

    private static final Set<String> ALL =
            Set.of(
                    "look", "open", "read", "create", "write", "sync", "link", "rename", "delete",
                    "list");

    private int failures;
    private int takenOver;
    private int overlaps;

    @Test
    void a_full_disk_is_reported_and_affects_no_other_process() {
        Seeds.each(
                400,
                simulation ->
                        holds(
                                simulation,
                                FILL_THE_DISK,
                                FailingDiskPropertyTest::full,
                                LockFileIoException.class));
        Seeds.assertReached(failures, 75, "failures");
    }

    @Test
    void missing_permissions_are_reported_and_affect_no_other_process() {
        Seeds.each(
                400,
                simulation ->
                        holds(
                                simulation,
                                NEED_PERMISSIONS,
                                SimulatedDisk::denied,
                                NotPermittedException.class));
        Seeds.assertReached(failures, 75, "failures");
    }

    @Test
    void an_io_error_is_reported_and_affects_no_other_process() {
        Seeds.each(
                400,
                simulation ->
                        holds(
                                simulation,
                                ALL,
                                FailingDiskPropertyTest::broken,
                                LockFileIoException.class));
        Seeds.assertReached(failures, 75, "failures");
    }

    @Test
    void with_a_full_disk_no_process_removes_the_lock_of_another() {
        Seeds.each(
                400,
                simulation -> {
                    var simulatedProcesses =
                            new SimulatedProcesses(simulation, 5).afterPossibleCrash();
                    var unlucky = new LibraryProcess(simulatedProcesses.witness, 5);
                    simulatedProcesses
                            .member(unlucky)
                            .disk
                            .failing(
                                    some(
                                            simulation,
                                            FILL_THE_DISK,
                                            FailingDiskPropertyTest::full,
                                            simulation.oneIn(2)));
                    simulatedProcesses.members(2).polite(1).others(1, "remover", new Remover(6));
                    simulation.run(new RandomSchedule(simulation).movingClock(5, false));
                    failures += unlucky.failedAttempts().size();
                    for (LibraryProcess libraryProcess : simulatedProcesses.members) {
                        assertThat(libraryProcess.deceived())
                                .as("releases that hid a loss")
                                .isZero();
                    }
                });
        Seeds.assertReached(failures, 75, "failures");
    }

    private static IOException full(Path path) {
        return new FileSystemException(path.toString(), null, "No space left on device");
    }

    private static IOException broken(Path path) {
        return new FileSystemException(path.toString(), null, "Input/output error");
    }

    private interface Failure {
        IOException at(Path path);
    }

    /**
     * The disk of one process out of four fails: at a single call, or from some call on. The latter
     * is not tested with all calls failing, since the process could not clean up then.
     */
    private void holds(
            Simulation simulation,
            Set<String> calls,
            Failure failure,
            Class<? extends LockFileException> expected) {
        if (simulation.oneIn(3)) {
            simulation.withoutHardLinks();
        }
        var simulatedProcesses = new SimulatedProcesses(simulation, 5).afterPossibleCrash();
        Duration settle = simulation.oneIn(2) ? Duration.ofMillis(20) : Duration.ZERO;
        var unlucky = new LibraryProcess(simulatedProcesses.witness, 5).settling(settle);
        simulatedProcesses
                .member(unlucky)
                .disk
                .failing(
                        some(
                                simulation,
                                calls,
                                failure,
                                simulation.oneIn(2) && !calls.equals(ALL)));
        simulatedProcesses.members(3);
        simulation.run(new RandomSchedule(simulation).movingClock(5, false));

        assertThat(simulatedProcesses.witness.overlaps()).isEmpty();
        for (IOException reported : unlucky.failedAttempts()) {
            assertThat(LockFileExceptions.translate(Simulation.LOCK, reported))
                    .isInstanceOf(expected);
        }
        assertThat(unlucky.leftBehind()).as("locks left by attempts that failed").isZero();
        for (LibraryProcess libraryProcess : simulatedProcesses.members) {
            if (libraryProcess != unlucky) {
                assertThat(libraryProcess.losses()).as("losses of others").isZero();
                assertThat(libraryProcess.failedAttempts()).as("failures of others").isEmpty();
                assertThat(libraryProcess.otherFailures()).as("failures of others").isEmpty();
            }
        }
        failures += unlucky.failedAttempts().size() + unlucky.otherFailures().size();
        simulatedProcesses.assertObtainable();
    }

    private static Fault some(
            Simulation simulation, Set<String> calls, Failure failure, boolean lasting) {
        int first = simulation.below(40);
        return new Fault() {
            private int seen;

            @Override
            public @Nullable IOException of(String call, Path path) {
                if (!calls.contains(call)) {
                    return null;
                }
                int now = seen++;
                return now == first || (lasting && now > first) ? failure.at(path) : null;
            }
        };
    }

    @Test
    void processes_without_the_sidecar_may_both_acquire_but_the_loser_is_notified() {
        Seeds.each(
                500,
                simulation -> {
                    var simulatedProcesses =
                            new SimulatedProcesses(simulation, 5).afterPossibleCrash().members(4);
                    for (SimulatedProcess process : simulation.processes()) {
                        if (simulation.oneIn(2)) {
                            process.disk.failing(FailingDiskPropertyTest::noSidecar);
                        }
                    }
                    simulation.run(
                            new RandomSchedule(simulation)
                                    .killing(simulatedProcesses.someKillOdds())
                                    .movingClock(5, false));
                    for (LibraryProcess libraryProcess : simulatedProcesses.members) {
                        assertThat(libraryProcess.deceived())
                                .as("releases that hid a loss")
                                .isZero();
                        assertThat(libraryProcess.failedAttempts()).as("failed attempts").isEmpty();
                    }
                    simulation
                            .processes()
                            .forEach(process -> takenOver += process.audit.takenOver());
                    overlaps += simulatedProcesses.witness.overlaps().size();
                    simulatedProcesses.assertObtainable();
                });
        Seeds.assertReached(takenOver, 150, "takeovers");
        Seeds.assertReached(overlaps, 0, "overlaps without the sidecar");
    }

    @Test
    void of_successive_processes_without_the_sidecar_only_one_acquires() {
        Seeds.each(
                0,
                simulation -> {
                    simulation.plant("pid=99\ntimestamp=1234567890\n", 1234567890);
                    var mutualExclusionChecker = new MutualExclusionChecker();
                    for (int i = 1; i <= 4; i++) {
                        SimulatedProcess process =
                                simulation.add(
                                        "member-" + i,
                                        self -> {
                                            LibraryProcess.enterAndStay(
                                                    self, mutualExclusionChecker);
                                        });
                        process.disk.failing(FailingDiskPropertyTest::noSidecar);
                        simulation.finish(process);
                    }
                    assertThat(mutualExclusionChecker.turns()).isEqualTo(1);
                });
    }

    private static @Nullable IOException noSidecar(String call, Path path) {
        return call.equals("sidecar") ? SimulatedDisk.denied(path) : null;
    }
}
