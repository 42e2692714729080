package io.holdfast.console.output;

import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/** Keeps the first exception of a write to standard output, which a {@link PrintStream} hides. */
public final class StandardOutput {
    /** The exit status of every command whose output is incomplete; 1 would mean "not found". */
    public static final int INCOMPLETE = 3;

    private static final AtomicReference<@Nullable IOException> FAILURE = new AtomicReference<>();

    private static volatile boolean reported;

    private StandardOutput() {}

    /** Replaces {@code System.out}; call once, before anything is written. */
    public static void watch() {
        System.setOut(
                new PrintStream(
                        new Watched(new FileOutputStream(FileDescriptor.out)),
                        true,
                        System.out.charset()));
    }

    /** The command itself has reported that its output is incomplete. */
    public static void setReported() {
        reported = true;
    }

    /**
     * Reports a failed write on standard error. A pipe closed by its reader is not a failure.
     *
     * @param status the exit status of the command
     * @return the status to exit with: {@code status}, or {@link #INCOMPLETE}
     */
    public static int check(int status) {
        System.out.flush();
        IOException failure = FAILURE.get();
        if (failure == null || reported || isReaderGone(failure)) {
            return status;
        }
        setReported(); // a command may run another one, which calls check itself
        Printer.err("Error: cannot write to standard output: " + FailureText.of(failure));
        return INCOMPLETE;
    }

    private static boolean isReaderGone(IOException failure) {
        String text = String.valueOf(failure.getMessage());
        return text.contains("Broken pipe")
                || (isPipe() && !text.contains("temporarily unavailable"));
    }

    /** Needed because the message of the operating system is localized. */
    private static boolean isPipe() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // not on Linux
        }
    }

    private static final class Watched extends OutputStream {
        private final OutputStream target;

        Watched(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                target.write(bytes, offset, length);
            } catch (IOException e) {
                FAILURE.compareAndSet(null, e);
                throw e;
            }
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
