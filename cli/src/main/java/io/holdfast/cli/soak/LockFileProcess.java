package io.holdfast.cli.soak;

import java.io.IOException;
import java.io.Writer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process that shares a lock file.
 *
 * @param name never used again, also not when a killed process is replaced
 * @param answers what it has printed, for processes that do one thing at a time when told
 */
record LockFileProcess(
        String name, Role role, Process process, Writer input, BlockingQueue<String> answers) {
    /** What a process does. */
    enum Role {
        /** {@link LockFileWorker}. */
        OURS(LockFileLogChecker.OURS),
        /** The script that plays by the rules. */
        EXCLUSIVE("exclusive"),
        /** The script that overwrites what is there. */
        OVERWRITING("overwriting"),
        /** {@link ScriptedLockFileProcess}. */
        PUPPET("puppet");

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

    /** Tells it something. One that has just been killed does not hear it. */
    void send(String line) {
        try {
            synchronized (input) {
                input.write(line + "\n");
                input.flush();
            }
        } catch (IOException e) {
            // Whether it should be there any more is looked at elsewhere.
        }
    }

    /** It ends by itself, soon. */
    void closeInput() {
        try {
            synchronized (input) {
                input.close();
            }
        } catch (IOException e) {
            // It has ended already.
        }
    }
}
