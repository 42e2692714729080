package io.holdfast.cli.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.Holdfast;
import io.holdfast.client.KeyInfo;
import io.holdfast.client.LockException;
import io.holdfast.console.output.Printer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Prints the holders of the awaited key and our position to standard error when they change. */
final class WaitProgress implements AutoCloseable {
    /** Shorter waits print nothing. */
    private static final Duration DELAY = Duration.ofMillis(500);

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int MAX_HOLDERS_SHOWN = 3;

    private final Holdfast client;
    private final String key;
    private final boolean semaphore;
    private final Thread thread;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private String last = "";

    private WaitProgress(Holdfast client, String key, boolean semaphore) {
        this.client = client;
        this.key = key;
        this.semaphore = semaphore;
        this.thread = Thread.ofPlatform().daemon().name("holdfast-wait").unstarted(this::run);
    }

    static WaitProgress start(Holdfast client, String key, boolean semaphore) {
        WaitProgress report = new WaitProgress(client, key, semaphore);
        report.thread.start();
        return report;
    }

    private void run() {
        try {
            Thread.sleep(DELAY);
            while (!Thread.currentThread().isInterrupted()) {
                KeyInfo info = client.info(key);
                (semaphore ? info.semaphore() : info.lock()).ifPresent(this::show);
                Thread.sleep(INTERVAL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (LockException e) {
            // the acquire that waits fails in the same way and reports it
        }
    }

    private void show(KeyInfo.ResourceInfo resourceInfo) {
        show(text(key, resourceInfo));
    }

    private synchronized void show(String text) {
        if (!closed && !text.equals(last)) {
            last = text;
            Printer.err(text);
        }
    }

    static String text(String key, KeyInfo.ResourceInfo resourceInfo) {
        StringBuilder text = new StringBuilder("Waiting for " + key);
        if (!resourceInfo.holders().isEmpty()) {
            text.append(", held by ").append(names(resourceInfo));
        }
        resourceInfo
                .position()
                .ifPresentOrElse(
                        position ->
                                text.append("; position " + position + " of ")
                                        .append(resourceInfo.waiters()),
                        () -> text.append("; waiting: " + resourceInfo.waiters()));
        return text.toString();
    }

    private static String names(KeyInfo.ResourceInfo resourceInfo) {
        List<KeyInfo.Holder> holders = resourceInfo.holders();
        long more = resourceInfo.held() - Math.min(MAX_HOLDERS_SHOWN, holders.size());
        return holders.stream()
                        .limit(MAX_HOLDERS_SHOWN)
                        .map(KeyInfo.Holder::label)
                        .map(label -> Optional.of(label).filter(name -> !name.isEmpty()))
                        .map(label -> label.orElse("an unnamed client"))
                        .collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }

    /** Nothing is printed after this has returned. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        thread.interrupt();
    }
}
