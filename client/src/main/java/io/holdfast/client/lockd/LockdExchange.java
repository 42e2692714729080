package io.holdfast.client.lockd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * One command and its answer. The caller makes it and waits for it; all else is called by the
 * thread of the {@link LockdChannel}, which ends the connection when one of these methods throws.
 *
 * @param <T> what the answer becomes
 */
abstract class LockdExchange<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final String command;

    LockdExchange(String command) {
        this.command = command;
    }

    String command() {
        return command;
    }

    /** What to send first, line ends included. */
    String opening() {
        return command + "\n";
    }

    /** A line has come; it is not empty. */
    abstract void line(String line) throws LockdProtocolException;

    /** No line has come for a read timeout. Gives what to send now. */
    String onReadTimeout() throws LockdProtocolException {
        throw LockdProtocolException.missed();
    }

    /** How many read timeouts the whole answer may take, however steadily its lines come. */
    int maxReadTimeouts() {
        return 1;
    }

    final void succeed(T value) {
        result.complete(value);
    }

    final void fail(LockdException failure) {
        result.completeExceptionally(failure);
    }

    final boolean isOver() {
        return result.isDone();
    }

    final T await() throws InterruptedException, ExecutionException {
        return result.get();
    }

    /** As {@link #await}, but an interrupt does not end it; the flag is kept. */
    final T awaitThroughInterrupts() throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
