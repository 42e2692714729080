package io.holdfast.cli.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A running command and its descendant processes. */
public final class RunningCommand {
    private final Process process;

    RunningCommand(Process process) {
        this.process = process;
    }

    /**
     * Waits for the end of the command; interrupts are ignored.
     *
     * @return its exit status; 128 + N if signal N ended it
     */
    public int await() {
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException _) {
                // This process ends only after the command.
            }
        }
    }

    /**
     * Sends SIGTERM to the command and its descendants, and kills those that still run after {@code
     * gracePeriod}. A shell that gets SIGTERM alone would leave its child running.
     */
    public void end(Duration gracePeriod) throws InterruptedException {
        List<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroy);
        awaitEnd(members, gracePeriod);
        kill(members);
    }

    /** Kills the command and its descendants. */
    public void kill() {
        kill(members());
    }

    private List<ProcessHandle> members() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    }

    private static void awaitEnd(List<ProcessHandle> members, Duration gracePeriod)
            throws InterruptedException {
        CompletableFuture<Void> ended =
                CompletableFuture.allOf(
                        members.stream()
                                .map(ProcessHandle::onExit)
                                .toArray(CompletableFuture<?>[]::new));
        try {
            ended.get(TimeUnit.NANOSECONDS.convert(gracePeriod), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException _) {
            // The caller kills those that are still alive.
        }
    }

    /** Also kills the processes that they have started since. */
    private static void kill(List<ProcessHandle> members) {
        members.stream()
                .filter(ProcessHandle::isAlive)
                .flatMap(member -> Stream.concat(Stream.of(member), member.descendants()))
                .toList()
                .forEach(ProcessHandle::destroyForcibly);
    }

    void send(ProcessSignal processSignal) {
        if (processSignal.isTyped() && ProcessGroup.isInForeground()) {
            return; // the terminal sent it to the command as well
        }
        if (processSignal == ProcessSignal.TERM) {
            process.destroy();
        } else if (process.isAlive()) {
            processSignal.sendTo(process.pid());
        }
    }
}
