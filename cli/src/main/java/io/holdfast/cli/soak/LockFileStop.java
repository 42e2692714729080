package io.holdfast.cli.soak;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Stops a process by SIGSTOP, with all its threads, until this is closed. The process goes on also
 * if this process ends in whatever way, so that nothing stays behind for ever.
 */
final class LockFileStop implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 10;

    /** Told the process first. The end of its standard input is the sign to let it go on. */
    private static final String SCRIPT =
            "trap '' INT HUP; read -r pid || exit 0; kill -STOP \"$pid\"; read -r _;"
                    + " kill -CONT \"$pid\" 2>/dev/null; exit 0";

    private final Process stopper;

    /** Stops nothing yet, but is then quick to do so. */
    LockFileStop() throws IOException {
        stopper =
                new ProcessBuilder("sh", "-c", SCRIPT)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
    }

    /** Once only. Gives back when the process does nothing any more. */
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
            return false; // it has ended
        }
    }

    private static boolean isTaskStopped(Path stat) throws IOException {
        try {
            // A number, a name in brackets that may contain anything, the state.
            var text = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
            return text.startsWith(") T", text.lastIndexOf(')'));
        } catch (NoSuchFileException e) {
            return true; // this thread has ended
        } catch (IOException e) {
            return false; // it is just about to end
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
