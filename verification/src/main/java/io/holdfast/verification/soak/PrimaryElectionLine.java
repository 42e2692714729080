package io.holdfast.verification.soak;

/** A report of an {@link PrimaryElectionWorker}: one line of its standard output. */
sealed interface PrimaryElectionLine {
    /** The process has become the primary, or is no longer the primary. */
    record Serves(boolean now) implements PrimaryElectionLine {
        @Override
        public String text() {
            return "serves " + now;
        }
    }

    /** The process has written this number, and is about to release the lock. */
    record Wrote(long number, long requestedMicros, long grantedMicros)
            implements PrimaryElectionLine {
        @Override
        public String text() {
            return "wrote " + number + " " + requestedMicros + " " + grantedMicros;
        }
    }

    /** The process has held the lock as a reader, and is about to release it. */
    record Read(long requestedMicros, long grantedMicros) implements PrimaryElectionLine {
        @Override
        public String text() {
            return "read " + requestedMicros + " " + grantedMicros;
        }
    }

    /** While the process held the lock, it found another process inside that must not be there. */
    record Met(String name) implements PrimaryElectionLine {
        @Override
        public String text() {
            return "met " + name;
        }
    }

    /** The lock was lost while it was held. */
    record Lost() implements PrimaryElectionLine {
        @Override
        public String text() {
            return "lost";
        }
    }

    /** Anything else that must not happen. */
    record Failed(String reason) implements PrimaryElectionLine {
        @Override
        public String text() {
            return "failed " + reason;
        }
    }

    /** The line that {@link #parse} reads, without its end. */
    String text();

    static PrimaryElectionLine parse(String line) {
        var fields = line.split(" ", -1);
        try {
            return switch (fields[0]) {
                case "serves" -> new Serves(Boolean.parseBoolean(fields[1]));
                case "wrote" -> new Wrote(number(fields, 1), number(fields, 2), number(fields, 3));
                case "read" -> new Read(number(fields, 1), number(fields, 2));
                case "met" -> new Met(fields[1]);
                case "lost" -> new Lost();
                default -> new Failed(line);
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return new Failed(line); // output of a failing JVM, or an incomplete line
        }
    }

    private static long number(String[] fields, int index) {
        return Long.parseLong(fields[index]);
    }
}
