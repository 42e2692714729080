package io.holdfast.cli.watch;

import io.holdfast.cli.process.Signals;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Shows a server on a terminal until somebody quits. All that happens comes through one queue; only
 * what ends it goes past that.
 */
final class LiveTop {
    private static final int MOST_WAITING = 1024;
    private static final int LONGEST_FILTER = 256;
    private static final int HEADLINE = 3;
    private static final int GONE = 129; // as after a SIGHUP
    private static final int INTERRUPTED = 130; // as after a SIGINT
    private static final int GOING_ON = -1;

    /** Who is asked to end and hangs, at a terminal that takes no output, is not waited for. */
    private static final long PATIENCE_SECONDS = 2;

    private sealed interface Happening {
        record Pressed(Key key) implements Happening {}

        record Answered(Sample sample) implements Happening {}

        record Failed(ReadException why) implements Happening {}

        record Resized() implements Happening {}

        /** The status says so. */
        record Ended() implements Happening {}
    }

    private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>(MOST_WAITING);
    private final String url;
    private final RawTerminal terminal;
    private final AtomicInteger status = new AtomicInteger(GOING_ON);
    private final CountDownLatch left = new CountDownLatch(1);
    private RawTerminal.Size size;
    private Sample sample;
    private Query query;
    private String trouble = "";

    /** What is being typed; null if nothing is. */
    private @Nullable StringBuilder typing;

    private LiveTop(String url, RawTerminal terminal, Sample first) {
        this.url = url;
        this.terminal = terminal;
        this.sample = first;
        this.size = terminal.size();
        this.query = first.query().ofRows(Screen.rows(size.height()));
    }

    /** Returns the exit status. */
    static int run(HttpReader server, Sample first, Duration interval)
            throws InterruptedException, IOException {
        try (RawTerminal terminal = RawTerminal.open()) {
            LiveTop top = new LiveTop(server.url(), terminal, first);
            try {
                return top.run(server, interval);
            } finally {
                top.left.countDown();
            }
        }
    }

    private int run(HttpReader server, Duration interval) throws InterruptedException, IOException {
        Signals.Registration _ = Signals.onEnd(this::end);
        Signals.onResize(() -> tell(new Happening.Resized()));
        Keyboard.start(terminal.keys(), this::take);
        Poller poller =
                Poller.start(
                        server,
                        query,
                        interval,
                        answer -> tell(new Happening.Answered(answer)),
                        why -> tell(new Happening.Failed(why)));
        while (status.get() == GOING_ON) {
            draw();
            Query before = query;
            switch (happenings.take()) {
                case Happening.Pressed(Key key) -> {
                    if (isQuit(key)) {
                        return 0;
                    }
                    press(key);
                }
                case Happening.Answered(Sample answer) -> {
                    sample = answer;
                    trouble = "";
                    stayInside();
                }
                case Happening.Failed(ReadException why) ->
                        trouble = why.getMessage() + ", trying again";
                case Happening.Resized _ -> {
                    size = terminal.size();
                    query = query.ofRows(Screen.rows(size.height()));
                }
                case Happening.Ended _ -> {}
            }
            if (!query.equals(before)) {
                poller.ask(query);
            }
        }
        return status.get();
    }

    private void take(Key key) {
        switch (key) {
            case Key.Named.GONE -> end(GONE);
            case Key.Named.INTERRUPT -> end(INTERRUPTED);
            default -> tell(new Happening.Pressed(key));
        }
    }

    /** Makes the process end with this status, in whatever the loop may hang. */
    private void end(int with) {
        if (status.compareAndSet(GOING_ON, with)) {
            Thread.ofPlatform().daemon().name("holdfast-end").start(() -> exitUnlessLeft(with));
        }
        tell(new Happening.Ended()); // if there is no room, the loop has enough to wake it
    }

    private void exitUnlessLeft(int with) {
        try {
            if (!left.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                Runtime.getRuntime().exit(with); // its hook restores the terminal
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What finds no room is lost; only keys come that fast. */
    private void tell(Happening happening) {
        boolean _ = happenings.offer(happening);
    }

    private void draw() throws IOException {
        String message =
                typing == null ? trouble : "filter: " + Cells.escaped(typing.toString()) + "_";
        var lines = Screen.lines(url, sample, query, message, size.width(), size.height());
        terminal.show(lines, lines.size() > HEADLINE + 1 ? lines.size() - 1 : -1);
    }

    private boolean isQuit(Key key) {
        return typing == null && key instanceof Key.Typed(int c) && (c == 'q' || c == 'Q');
    }

    private void press(Key key) {
        if (typing != null) {
            type(typing, key);
            return;
        }
        int page = Screen.rows(size.height());
        query =
                switch (key) {
                    case Key.Typed(int c) -> command(c);
                    case Key.Named.UP -> query.from(query.offset() - 1);
                    case Key.Named.DOWN -> query.from(query.offset() + 1);
                    case Key.Named.PAGE_UP -> query.from(query.offset() - page);
                    case Key.Named.PAGE_DOWN -> query.from(query.offset() + page);
                    case Key.Named.HOME -> query.from(0);
                    case Key.Named.END -> query.from(Integer.MAX_VALUE);
                    case Key.Named.ESCAPE -> query.filtered("");
                    case Key.Named.ENTER, Key.Named.ERASE, Key.Named.INTERRUPT, Key.Named.GONE ->
                            query;
                };
        stayInside();
    }

    private Query command(int character) {
        return switch (character) {
            case 'k' -> query.in(View.KEYS);
            case 'c' -> query.in(View.CONNECTIONS);
            case 'w' -> query.in(View.WAITS);
            case 's' -> query.nextSort();
            case 'r' -> query.reverse();
            case '/' -> {
                typing = new StringBuilder(query.filter());
                yield query;
            }
            default -> query;
        };
    }

    /** The table follows each letter; escape takes the filter away. */
    private void type(StringBuilder text, Key key) {
        switch (key) {
            case Key.Typed(int c) -> {
                if (text.length() < LONGEST_FILTER) {
                    text.appendCodePoint(c);
                }
            }
            case Key.Named.ERASE -> {
                if (!text.isEmpty()) {
                    text.delete(text.offsetByCodePoints(text.length(), -1), text.length());
                }
            }
            case Key.Named.ESCAPE -> {
                text.setLength(0);
                typing = null;
            }
            case Key.Named.ENTER -> typing = null;
            default -> {}
        }
        if (!text.toString().equals(query.filter())) {
            query = query.filtered(text.toString());
        }
    }

    /** No further down than where the last page begins. */
    private void stayInside() {
        if (sample.query().view() == query.view()
                && sample.query().filter().equals(query.filter())) {
            int last = Math.max(0, Rows.total(sample) - Screen.rows(size.height()));
            if (query.offset() > last) {
                query = query.from(last);
            }
        }
    }
}
