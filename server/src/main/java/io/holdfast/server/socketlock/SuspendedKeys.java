package io.holdfast.server.socketlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Keys that are suspended: not granted until they are resumed. Each suspension of a key is counted.
 */
final class SuspendedKeys {
    /** A driver responds sooner, if only with a refusal. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Driver driver;

    @GuardedBy("this")
    private final Map<Key, Integer> suspensions = new HashMap<>();

    SuspendedKeys(Driver driver) {
        this.driver = driver;
    }

    /** False if a limit does not allow to store the key; then there is no holder of it. */
    synchronized boolean suspend(Key key) {
        suspensions.merge(key, 1, Integer::sum);
        // Submitted each time: an earlier one may have been refused.
        return isDone(id -> new Command.Suspend(id, 1, key));
    }

    synchronized void resume(Key key) {
        if (suspensions.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1)
                == null) {
            boolean _ = isDone(id -> new Command.Resume(id, 1, key));
        }
    }

    private boolean isDone(LongFunction<Command.Keyed> command) {
        ReplyMailbox replyMailbox = new ReplyMailbox();
        Session session = driver.open(replyMailbox, ClientInfo.ofServer("holdfast"));
        boolean applied = session.submit(command.apply(session.id())) || replyMailbox.awaitReply();
        session.close(1);
        return applied && !replyMailbox.refused;
    }

    /** Is woken when the command has been applied. */
    private static final class ReplyMailbox implements EffectMailbox {
        private final CountDownLatch woken = new CountDownLatch(1);
        private volatile boolean refused;

        @Override
        public void add(Effect effect) {
            refused |= effect instanceof Effect.Refused;
        }

        @Override
        public void wake() {
            woken.countDown();
        }

        /** Waits for the reply; false on timeout. */
        boolean awaitReply() {
            boolean interrupted = false;
            long end = System.nanoTime() + TIMEOUT_NANOS;
            try {
                while (true) {
                    try {
                        return woken.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
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
}
