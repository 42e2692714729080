package io.holdfast.cli.watch;

import io.holdfast.cli.process.SignalHandlers;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The interactive {@code top}. All events go through one queue, except those that end it. */
final class LiveTop {
    private static final int MAX_WAITING = 1024;
    private static final int MAX_FILTER = 256;
    private static final int HEADLINE = 3;
    private static final int GONE = 129; // the exit status after SIGHUP
    private static final int INTERRUPTED = 130; // the exit status after SIGINT
    private static final int RUNNING = -1;

    /**
     * If the loop does not end in this time, because the terminal blocks output, the process exits.
     */
    private static final long TIMEOUT_SECONDS = 2;

    private sealed interface UiEvent {
        record Pressed(KeyPress key) implements UiEvent {}

        record Sampled(TopSample sample) implements UiEvent {}

        record Failed(ReadException failure) implements UiEvent {}

        record Resized() implements UiEvent {}

        /** {@link #status} has been set. */
        record Ended() implements UiEvent {}
    }

    private final BlockingQueue<UiEvent> events = new LinkedBlockingQueue<>(MAX_WAITING);
    private final String url;
    private final RawTerminal terminal;
    private final AtomicInteger status = new AtomicInteger(RUNNING);
    private final CountDownLatch left = new CountDownLatch(1);
    private RawTerminal.Size size;
    private TopSample topSample;
    private TopQuery topQuery;
    private String lastError = "";

    /** The filter that is being typed; null if none is. */
    private @Nullable StringBuilder typing;

    private LiveTop(String url, RawTerminal terminal, TopSample first) {
        this.url = url;
        this.terminal = terminal;
        this.topSample = first;
        this.size = terminal.size();
        this.topQuery = first.query().ofRows(TopScreenText.rows(size.height()));
    }

    /** Returns the exit status. */
    static int run(HttpReader server, TopSample first, Duration interval)
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
        SignalHandlers.Registration _ = SignalHandlers.onEnd(this::end);
        SignalHandlers.onResize(() -> post(new UiEvent.Resized()));
        Keyboard.start(terminal.keys(), this::take);
        ServerPoller serverPoller =
                ServerPoller.start(
                        server,
                        topQuery,
                        interval,
                        sample -> post(new UiEvent.Sampled(sample)),
                        failure -> post(new UiEvent.Failed(failure)));
        while (status.get() == RUNNING) {
            draw();
            TopQuery previous = topQuery;
            switch (events.take()) {
                case UiEvent.Pressed(KeyPress keyPress) -> {
                    if (isQuit(keyPress)) {
                        return 0;
                    }
                    press(keyPress);
                }
                case UiEvent.Sampled(TopSample sample) -> {
                    topSample = sample;
                    lastError = "";
                    stayInside();
                }
                case UiEvent.Failed(ReadException failure) ->
                        lastError = failure.getMessage() + ", retrying";
                case UiEvent.Resized _ -> {
                    size = terminal.size();
                    topQuery = topQuery.ofRows(TopScreenText.rows(size.height()));
                }
                case UiEvent.Ended _ -> {}
            }
            if (!topQuery.equals(previous)) {
                serverPoller.setQuery(topQuery);
            }
        }
        return status.get();
    }

    private void take(KeyPress keyPress) {
        switch (keyPress) {
            case KeyPress.SpecialKey.GONE -> end(GONE);
            case KeyPress.SpecialKey.INTERRUPT -> end(INTERRUPTED);
            default -> post(new UiEvent.Pressed(keyPress));
        }
    }

    /** Ends the process with this status, even if the loop is blocked. */
    private void end(int with) {
        if (status.compareAndSet(RUNNING, with)) {
            Thread.ofPlatform().daemon().name("holdfast-end").start(() -> exitUnlessLeft(with));
        }
        post(new UiEvent.Ended()); // if the queue is full, other events wake the loop
    }

    private void exitUnlessLeft(int with) {
        try {
            if (!left.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                Runtime.getRuntime().exit(with); // the shutdown hook restores the terminal
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Drops the event if the queue is full; only key presses can be that frequent. */
    private void post(UiEvent uiEvent) {
        boolean _ = events.offer(uiEvent);
    }

    private void draw() throws IOException {
        String message =
                typing == null
                        ? lastError
                        : "filter: " + TerminalText.escaped(typing.toString()) + "_";
        var lines =
                TopScreenText.lines(url, topSample, topQuery, message, size.width(), size.height());
        terminal.show(lines, lines.size() > HEADLINE + 1 ? lines.size() - 1 : -1);
    }

    private boolean isQuit(KeyPress keyPress) {
        return typing == null
                && keyPress instanceof KeyPress.Typed(int c)
                && (c == 'q' || c == 'Q');
    }

    private void press(KeyPress keyPress) {
        if (typing != null) {
            type(typing, keyPress);
            return;
        }
        int page = TopScreenText.rows(size.height());
        topQuery =
                switch (keyPress) {
                    case KeyPress.Typed(int c) -> command(c);
                    case KeyPress.SpecialKey.UP -> topQuery.from(topQuery.offset() - 1);
                    case KeyPress.SpecialKey.DOWN -> topQuery.from(topQuery.offset() + 1);
                    case KeyPress.SpecialKey.PAGE_UP -> topQuery.from(topQuery.offset() - page);
                    case KeyPress.SpecialKey.PAGE_DOWN -> topQuery.from(topQuery.offset() + page);
                    case KeyPress.SpecialKey.HOME -> topQuery.from(0);
                    case KeyPress.SpecialKey.END -> topQuery.from(Integer.MAX_VALUE);
                    case KeyPress.SpecialKey.ESCAPE -> topQuery.filtered("");
                    case KeyPress.SpecialKey.ENTER,
                            KeyPress.SpecialKey.ERASE,
                            KeyPress.SpecialKey.INTERRUPT,
                            KeyPress.SpecialKey.GONE ->
                            topQuery;
                };
        stayInside();
    }

    private TopQuery command(int character) {
        return switch (character) {
            case 'k' -> topQuery.in(TopView.KEYS);
            case 'c' -> topQuery.in(TopView.CONNECTIONS);
            case 'w' -> topQuery.in(TopView.WAITS);
            case 's' -> topQuery.nextSort();
            case 'r' -> topQuery.reverse();
            case '/' -> {
                typing = new StringBuilder(topQuery.filter());
                yield topQuery;
            }
            default -> topQuery;
        };
    }

    /** Applies the filter at each key press; escape removes it. */
    private void type(StringBuilder text, KeyPress keyPress) {
        switch (keyPress) {
            case KeyPress.Typed(int c) -> {
                if (text.length() < MAX_FILTER) {
                    text.appendCodePoint(c);
                }
            }
            case KeyPress.SpecialKey.ERASE -> {
                if (!text.isEmpty()) {
                    text.delete(text.offsetByCodePoints(text.length(), -1), text.length());
                }
            }
            case KeyPress.SpecialKey.ESCAPE -> {
                text.setLength(0);
                typing = null;
            }
            case KeyPress.SpecialKey.ENTER -> typing = null;
            default -> {}
        }
        if (!text.toString().equals(topQuery.filter())) {
            topQuery = topQuery.filtered(text.toString());
        }
    }

    /** Limits the offset to the beginning of the last page. */
    private void stayInside() {
        if (topSample.query().view() == topQuery.view()
                && topSample.query().filter().equals(topQuery.filter())) {
            int last = Math.max(0, TopRows.total(topSample) - TopScreenText.rows(size.height()));
            if (topQuery.offset() > last) {
                topQuery = topQuery.from(last);
            }
        }
    }
}
