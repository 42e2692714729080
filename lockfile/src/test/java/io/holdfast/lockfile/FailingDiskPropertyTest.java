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

@DisplayName("When the file system does not do what it is asked")
class FailingDiskPropertyTest {
    private static final Set<String> FILL_THE_DISK =
            Set.of("create", "write", "write-rest", "sync");
    private static final Set<String> NEED_RIGHTS =
            Set.of("create", "open", "link", "rename", "delete");

    private static final Set<String> ALL =
            Set.of(
                    "look", "open", "read", "create", "write", "sync", "link", "rename", "delete",
                    "list");

    private int failures;
    private int takenOver;
    private int overlaps;

    @Test
    void a_full_disk_is_told_and_harms_nobody_else() {
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
    void missing_rights_are_told_and_harm_nobody_else() {
        Seeds.each(
                400,
                simulation ->
                        holds(
                                simulation,
                                NEED_RIGHTS,
                                SimulatedDisk::denied,
                                NotPermittedException.class));
        Seeds.assertReached(failures, 75, "failures");
    }

    @Test
    void a_broken_disk_is_told_and_harms_nobody_else() {
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
    void a_full_disk_does_not_make_anybody_remove_the_lock_of_another() {
        Seeds.each(
                400,
                simulation -> {
                    var simulatedProcesses =
                            new SimulatedProcesses(simulation, 5).afterSomebodyDied();
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
     * One process out of four has a disk that fails: at one call, or from one call on. If nothing
     * at all works any more it cannot clear up either.
     */
    private void holds(
            Simulation simulation,
            Set<String> calls,
            Failure failure,
            Class<? extends LockFileException> expected) {
        if (simulation.oneIn(3)) {
            simulation.withoutHardLinks();
        }
        var simulatedProcesses = new SimulatedProcesses(simulation, 5).afterSomebodyDied();
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
        for (IOException told : unlucky.failedAttempts()) {
            assertThat(LockFileExceptions.translate(Simulation.LOCK, told)).isInstanceOf(expected);
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
    void those_who_cannot_open_the_sidecar_may_clash_but_are_not_deceived() {
        Seeds.each(
                500,
                simulation -> {
                    var simulatedProcesses =
                            new SimulatedProcesses(simulation, 5).afterSomebodyDied().members(4);
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
    void of_those_who_cannot_open_the_sidecar_one_wins_if_they_come_one_after_another() {
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
