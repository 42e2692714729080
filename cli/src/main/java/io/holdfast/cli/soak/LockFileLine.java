package io.holdfast.cli.soak;

import org.jspecify.annotations.Nullable;

/**
 * A line of the file in which the processes of a lock file say who is inside. Each is appended in
 * one piece, so their order is that of time: one that says Entered has the lock by then, and one
 * that says Left still has it.
 */
sealed interface LockFileLine {
    record Entered(String name, long turn) implements LockFileLine {
        @Override
        public String text() {
            return "E " + name + " " + turn;
        }
    }

    /** It has written this number, and releases the lock now. */
    record Left(String name, long turn, long number) implements LockFileLine {
        @Override
        public String text() {
            return "L " + name + " " + turn + " " + number;
        }
    }

    /** It was stopped, and will be killed before it goes on. */
    record Killed(String name) implements LockFileLine {
        @Override
        public String text() {
            return "K " + name;
        }
    }

    /** It was told by the library that it lost the lock in this turn. */
    record Lost(String name, long turn) implements LockFileLine {
        @Override
        public String text() {
            return "X " + name + " " + turn;
        }
    }

    /** Without the end of the line, to be read by {@link #parse}. */
    String text();

    /** Gives null for what is no such line. */
    static @Nullable LockFileLine parse(String line) {
        var words = line.split(" ", -1);
        try {
            return switch (words[0]) {
                case "E" -> new Entered(words[1], Long.parseLong(words[2]));
                case "L" -> new Left(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
                case "K" -> new Killed(words[1]);
                case "X" -> new Lost(words[1], Long.parseLong(words[2]));
                default -> null;
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return null;
        }
    }
}
