package io.holdfast.cli.soak;

/** What an {@link ElectionWorker} tells of itself. */
sealed interface ElectionLine {
    /** It has become the primary, or is it no longer. */
    record Serves(boolean now) implements ElectionLine {
        @Override
        public String text() {
            return "serves " + now;
        }
    }

    /** It has written this number, and releases the lock now. */
    record Wrote(long number, long askedMicros, long gotMicros) implements ElectionLine {
        @Override
        public String text() {
            return "wrote " + number + " " + askedMicros + " " + gotMicros;
        }
    }

    /** It has held the lock with other readers, and releases it now. */
    record Read(long askedMicros, long gotMicros) implements ElectionLine {
        @Override
        public String text() {
            return "read " + askedMicros + " " + gotMicros;
        }
    }

    /** While it was inside another one was there that must not be. */
    record Met(String name) implements ElectionLine {
        @Override
        public String text() {
            return "met " + name;
        }
    }

    /** The lock was lost while it was held. */
    record Lost() implements ElectionLine {
        @Override
        public String text() {
            return "lost";
        }
    }

    /** Something that must not happen, in words. */
    record Failed(String reason) implements ElectionLine {
        @Override
        public String text() {
            return "failed " + reason;
        }
    }

    /** One line, to be read by {@link #parse}. */
    String text();

    static ElectionLine parse(String line) {
        var words = line.split(" ", -1);
        try {
            return switch (words[0]) {
                case "serves" -> new Serves(Boolean.parseBoolean(words[1]));
                case "wrote" -> new Wrote(number(words, 1), number(words, 2), number(words, 3));
                case "read" -> new Read(number(words, 1), number(words, 2));
                case "met" -> new Met(words[1]);
                case "lost" -> new Lost();
                default -> new Failed(line);
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return new Failed(line); // what a JVM in trouble prints, or the half of a line
        }
    }

    private static long number(String[] words, int index) {
        return Long.parseLong(words[index]);
    }
}
