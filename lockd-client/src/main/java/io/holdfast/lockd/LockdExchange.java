package io.holdfast.lockd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * One command and its response. The caller creates it and waits for it; all other methods are
 * called by the thread of the {@link LockdChannel}, which closes the connection when one of them
 * throws.
 *
 * @param <T> the result parsed from the response
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

    /** The lines to send first, including their line ends. */
    String opening() {
        return command + "\n";
    }

    /** Handles a received line, which is not empty. */
    abstract void line(String line) throws LockdProtocolException;

    /** Called after a read timeout without a line. Returns what to send now. */
    String onReadTimeout() throws LockdProtocolException {
        throw LockdProtocolException.missing();
    }

    /** The maximum duration of the whole response, in read timeouts. */
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

    /** As {@link #await}, but not ended by an interrupt; the interrupt flag is restored. */
    final T awaitUninterruptibly() throws ExecutionException {
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
