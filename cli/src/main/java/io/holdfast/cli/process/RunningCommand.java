package io.holdfast.cli.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A command that was started, and whatever it has started itself. */
public final class RunningCommand {
    private final Process process;

    RunningCommand(Process process) {
        this.process = process;
    }

    /**
     * Waits for the end of the command, whatever signals come.
     *
     * @return its exit status, 128 and the number of the signal if one ended it
     */
    public int await() {
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException _) {
                // Our end is the command's end.
            }
        }
    }

    /**
     * Asks the command, and all that it has started, to end, and kills what still runs after that
     * time. A shell that is asked alone would leave behind what it waits for.
     */
    public void end(Duration patience) throws InterruptedException {
        List<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroy);
        awaitEnd(members, patience);
        kill(members);
    }

    /** Ends the command, and all that it has started, at once. */
    public void kill() {
        kill(members());
    }

    private List<ProcessHandle> members() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    }

    private static void awaitEnd(List<ProcessHandle> members, Duration patience)
            throws InterruptedException {
        CompletableFuture<Void> ended =
                CompletableFuture.allOf(
                        members.stream()
                                .map(ProcessHandle::onExit)
                                .toArray(CompletableFuture<?>[]::new));
        try {
            ended.get(TimeUnit.NANOSECONDS.convert(patience), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException _) {
            // They were asked.
        }
    }

    /** Also what they have started since. */
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
