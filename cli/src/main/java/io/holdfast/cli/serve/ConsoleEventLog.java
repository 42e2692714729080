package io.holdfast.cli.serve;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Prints events, one line each, from a thread of its own. If the reader of the output is slow,
 * lines are dropped and counted, so that the server is never blocked.
 */
final class ConsoleEventLog implements Consumer<String> {
    private static final int MAX_WAITING = 10_000;

    /** Longer lines are cut, because keys can be long and queued lines must not fill the memory. */
    private static final int MAX_CHARS = 1000;

    private static final int MAX_AT_ONCE = 500;

    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicLong missed = new AtomicLong();
    private final PrintStream out;

    private ConsoleEventLog(PrintStream out) {
        this.out = out;
    }

    static ConsoleEventLog start(PrintStream out) {
        ConsoleEventLog log = new ConsoleEventLog(out);
        Thread.ofPlatform().daemon().name("holdfast-events").start(log::print);
        return log;
    }

    @Override
    public void accept(String line) {
        boolean isLong = line.length() > MAX_CHARS;
        if (!lines.offer(isLong ? line.substring(0, MAX_CHARS) + "..." : line)) {
            missed.incrementAndGet();
        }
    }

    private void print() {
        try {
            List<String> batch = new ArrayList<>();
            while (true) {
                batch.add(lines.take());
                lines.drainTo(batch, MAX_AT_ONCE);
                print(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Prints a batch in one write: a write per line would cost more than the logged operation. */
    private void print(List<String> batch) {
        StringBuilder text = new StringBuilder();
        long dropped = missed.getAndSet(0);
        if (dropped > 0) {
            text.append('(')
                    .append(dropped)
                    .append(" lines missed)")
                    .append(System.lineSeparator());
        }
        for (String line : batch) {
            text.append(printable(line)).append(System.lineSeparator());
        }
        out.print(text);
        out.flush();
    }

    /** Escapes control characters, because names and keys come from clients. */
    static String printable(String line) {
        if (line.chars().noneMatch(Character::isISOControl)) {
            return line;
        }
        StringBuilder text = new StringBuilder(line.length());
        line.chars()
                .forEach(
                        c -> {
                            if (Character.isISOControl(c)) {
                                text.append(String.format("\\u%04x", c));
                            } else {
                                text.append((char) c);
                            }
                        });
        return text.toString();
    }
}
