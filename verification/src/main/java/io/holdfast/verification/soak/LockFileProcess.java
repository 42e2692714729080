package io.holdfast.verification.soak;

import java.io.IOException;
import java.io.Writer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process that shares a lock file.
 *
 * @param name unique; the replacement of a killed process has another name
 * @param responses the lines that the process has printed; only for {@link Role#CONTROLLED}
 */
record LockFileProcess(
        String name, Role role, Process process, Writer input, BlockingQueue<String> responses) {
    /** What a process does. */
    enum Role {
        /** {@link LockFileWorker}. */
        OURS(LockFileLogChecker.OURS),
        /** The shell script that respects the lock. */
        EXCLUSIVE("exclusive"),
        /** The shell script that overwrites the lock file even while it is held. */
        OVERWRITING("overwriting"),
        /** {@link ScriptedLockFileProcess}. */
        CONTROLLED("controlled");

        private final String text;

        Role(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static LockFileProcess of(String name, Role role, Process process) {
        return new LockFileProcess(
                name, role, process, process.outputWriter(), new LinkedBlockingQueue<>());
    }

    /** Sends a line to the process; it is lost if the process has just been killed. */
    void send(String line) {
        try {
            synchronized (input) {
                input.write(line + "\n");
                input.flush();
            }
        } catch (IOException e) {
            // LockFileProcesses.check detects a process that has ended and should not have.
        }
    }

    /** Closes the standard input of the process, so that it exits by itself. */
    void closeInput() {
        try {
            synchronized (input) {
                input.close();
            }
        } catch (IOException e) {
            // the process has ended already
        }
    }
}
