package io.holdfast.verification.soak;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Suspends a process with all its threads (SIGSTOP) until this is closed. The process is also
 * resumed when this process ends in any way, so that no suspended process is left behind.
 */
final class ProcessSuspension implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 10;

    /**
     * Reads the process id from standard input, stops that process, and resumes it when standard
     * input ends.
     */
    private static final String SCRIPT =
            "trap '' INT HUP; read -r pid || exit 0; kill -STOP \"$pid\"; read -r _;"
                    + " kill -CONT \"$pid\" 2>/dev/null; exit 0";

    private final Process stopper;

    /** Starts the helper process in advance, so that {@link #stop} is fast. */
    ProcessSuspension() throws IOException {
        stopper =
                new ProcessBuilder("sh", "-c", SCRIPT)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
    }

    /** Suspends the process; at most once. Returns when all its threads are stopped. */
    void stop(Process process) throws IOException, CheckFailedException {
        var pid = Long.toString(process.pid());
        stopper.getOutputStream().write((pid + "\n").getBytes(StandardCharsets.US_ASCII));
        stopper.getOutputStream().flush();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (process.isAlive() && !isStopped(pid)) {
            if (System.nanoTime() > end) {
                throw new CheckFailedException("process " + pid + " cannot be stopped");
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }

    private static boolean isStopped(String pid) throws IOException {
        try (DirectoryStream<Path> tasks =
                Files.newDirectoryStream(Path.of("/proc", pid, "task"))) {
            for (var task : tasks) {
                if (!isTaskStopped(task.resolve("stat"))) {
                    return false;
                }
            }
            return true;
        } catch (NoSuchFileException e) {
            return false; // the process has ended
        }
    }

    private static boolean isTaskStopped(Path stat) throws IOException {
        try {
            // The format: a number, a name in brackets that may contain any character, the state.
            var text = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
            return text.startsWith(") T", text.lastIndexOf(')'));
        } catch (NoSuchFileException e) {
            return true; // this thread has ended
        } catch (IOException e) {
            return false; // the thread is ending
        }
    }

    @Override
    public void close() throws IOException {
        stopper.getOutputStream().close();
        try {
            stopper.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
