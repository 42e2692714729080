package io.holdfast.driver;

import io.holdfast.engine.Effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A mailbox that records effects and lets a test wait for them. */
final class RecordingMailbox implements EffectMailbox {
    /** Far longer than any step of the tests takes, also on a busy machine. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<Effect> effects = new ArrayList<>();
    private int wakes;

    @Override
    public synchronized void add(Effect effect) {
        effects.add(effect);
        notifyAll();
    }

    @Override
    public synchronized void wake() {
        wakes++;
        notifyAll();
    }

    synchronized List<Effect> all() {
        return List.copyOf(effects);
    }

    synchronized int wakes() {
        return wakes;
    }

    /** The first effect of a request, if there is one by now. */
    synchronized Optional<Effect> effectOf(long request) {
        for (int i = effects.size() - 1; i >= 0; i--) {
            if (effects.get(i).request() == request) {
                return Optional.of(effects.get(i));
            }
        }
        return Optional.empty();
    }

    /** Waits for the first effect of a request. */
    synchronized Effect await(long request) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            Optional<Effect> effect = effectOf(request);
            if (effect.isPresent()) {
                return effect.get();
            }
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("no effect of request " + request + ", but " + effects);
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** Drops what was read, to bound the memory of long runs. */
    synchronized void clear() {
        effects.clear();
    }
}
