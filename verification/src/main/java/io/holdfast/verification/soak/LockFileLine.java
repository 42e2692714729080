package io.holdfast.verification.soak;

import org.jspecify.annotations.Nullable;

/**
 * A line of the file in which the processes that share a lock file record their turns. Each line is
 * appended in one write, so the lines are in the order of time: the writer of Entered has acquired
 * the lock already, and the writer of Left has not released it yet.
 */
sealed interface LockFileLine {
    record Entered(String name, long turn) implements LockFileLine {
        @Override
        public String text() {
            return "E " + name + " " + turn;
        }
    }

    /** The process has written this number, and is about to release the lock. */
    record Left(String name, long turn, long number) implements LockFileLine {
        @Override
        public String text() {
            return "L " + name + " " + turn + " " + number;
        }
    }

    /** The process is suspended, and will be killed before it is resumed. */
    record Killed(String name) implements LockFileLine {
        @Override
        public String text() {
            return "K " + name;
        }
    }

    /** The library reported to the process that it lost the lock in this turn. */
    record Lost(String name, long turn) implements LockFileLine {
        @Override
        public String text() {
            return "X " + name + " " + turn;
        }
    }

    /** The line that {@link #parse} reads, without its end. */
    String text();

    /** Returns null for a line of another form. */
    static @Nullable LockFileLine parse(String line) {
        var fields = line.split(" ", -1);
        try {
            return switch (fields[0]) {
                case "E" -> new Entered(fields[1], Long.parseLong(fields[2]));
                case "L" ->
                        new Left(fields[1], Long.parseLong(fields[2]), Long.parseLong(fields[3]));
                case "K" -> new Killed(fields[1]);
                case "X" -> new Lost(fields[1], Long.parseLong(fields[2]));
                default -> null;
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return null;
        }
    }
}
