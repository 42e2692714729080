package io.holdfast.server;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import java.util.HashMap;
import java.util.Map;

/** Keys of which nothing is granted for the time being, each for so many reasons. */
final class Suspensions {
    private static final Mailbox NOBODY =
            new Mailbox() {
                @Override
                public void add(Effect effect) {}

                @Override
                public void wake() {}
            };

    private final Driver driver;
    private final Map<Key, Integer> reasons = new HashMap<>();

    Suspensions(Driver driver) {
        this.driver = driver;
    }

    synchronized void suspend(Key key) {
        if (reasons.merge(key, 1, Integer::sum) == 1) {
            Session session = driver.open(NOBODY, () -> "holdfast");
            session.submit(new Command.Suspend(session.id(), 1, key));
            session.close(1);
        }
    }

    synchronized void resume(Key key) {
        if (reasons.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1) == null) {
            Session session = driver.open(NOBODY, () -> "holdfast");
            session.submit(new Command.Resume(session.id(), 1, key));
            session.close(1);
        }
    }
}
