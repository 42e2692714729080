package io.holdfast.cli.serve;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Prints what happens, a line each, from a thread of its own: whoever reads slowly misses lines,
 * and is told how many, but holds nobody up.
 */
final class ConsoleEventLog implements Consumer<String> {
    private static final int MAX_WAITING = 10_000;

    /** Names can be long, and lines that wait must not fill the memory. */
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

    /** In one piece: a write for each line would cost more than what the line is about. */
    private void print(List<String> batch) {
        StringBuilder text = new StringBuilder();
        long gone = missed.getAndSet(0);
        if (gone > 0) {
            text.append('(').append(gone).append(" lines missed)").append(System.lineSeparator());
        }
        for (String line : batch) {
            text.append(printable(line)).append(System.lineSeparator());
        }
        out.print(text);
        out.flush();
    }

    /** Names are a client's: what could steer a terminal is shown as a number. */
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
