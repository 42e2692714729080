package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * Admits one writer, or any number of readers. Who comes by {@link Command.Ask} is made an offer
 * first; while one is out nobody is admitted.
 */
final class Mutex extends Resource {
    private @Nullable Hold writer;

    /** Null until there is a reader or an offer: a plain mutex does without. */
    private @Nullable Sharing sharing;

    Mutex(Key key, HeldTally tally) {
        super(key, tally);
    }

    /** From now on there may be readers and offers. */
    Sharing share(Policy policy) {
        if (sharing == null) {
            sharing = new Sharing(policy);
        }
        return sharing;
    }

    @Nullable Sharing sharing() {
        return sharing;
    }

    boolean isShared() {
        return sharing != null;
    }

    @Override
    Kind kind() {
        return Kind.MUTEX;
    }

    @Override
    long limit() {
        return 1;
    }

    @Override
    boolean admits() {
        return writer == null && !suspended && (sharing == null || sharing.readers.isEmpty());
    }

    /** Whether a reader that comes now need not wait. */
    boolean admitsReader() {
        if (writer != null || suspended) {
            return false;
        }
        if (sharing == null) {
            return waiters == 0;
        }
        boolean first =
                waiters == 0
                        || (sharing.policy == Policy.READER_PREFERRED
                                && sharing.readLine.first == null);
        return first && sharing.offer == null;
    }

    /** Whether a confirmed hold may be added while nothing is granted. */
    boolean admitsAgain(Mode mode) {
        if (!suspended || writer != null) {
            return false;
        }
        return sharing == null
                || sharing.readers.isEmpty()
                || (mode == Mode.READ && sharing.offer == null);
    }

    @Override
    @Nullable Wait next() {
        if (sharing == null) {
            return super.next();
        }
        if (writer != null || suspended || sharing.offer != null) {
            return null;
        }
        Wait next = sharing.pick(firstInLine());
        return sharing.readers.isEmpty() || isRead(next) ? next : null;
    }

    private static boolean isRead(@Nullable Wait wait) {
        return wait != null && wait.mode() == Mode.READ;
    }

    @Override
    void append(Wait wait) {
        if (sharing == null) {
            super.append(wait);
            return;
        }
        wait.arrival = ++sharing.arrivals;
        if (isRead(wait)) {
            sharing.readLine.append(wait);
            waiters++;
            tally.add(wait);
        } else {
            super.append(wait);
        }
    }

    @Override
    void remove(Wait wait) {
        if (sharing != null && isRead(wait)) {
            sharing.readLine.remove(wait);
            waiters--;
            tally.remove(wait);
        } else {
            super.remove(wait);
        }
    }

    @Override
    void eachWait(Predicate<Wait> viewer) {
        Wait read = sharing == null ? null : sharing.readLine.first;
        Wait write = firstInLine();
        while (read != null || write != null) {
            Wait older = Sharing.older(read, write);
            if (!viewer.test(older)) {
                return;
            }
            if (older == read) {
                read = older.behind;
            } else {
                write = older.behind;
            }
        }
    }

    @Override
    int holders() {
        return (writer == null ? 0 : 1) + (sharing == null ? 0 : sharing.readers.size());
    }

    /** Of those who asked, nobody was told a token. */
    @Override
    @Nullable Hold find(long fence) {
        Hold hold = writer;
        if (hold == null && sharing != null) {
            hold = sharing.readers.get(fence);
        }
        return hold != null && hold.fence == fence && !(hold instanceof AskHold) ? hold : null;
    }

    /** Those who asked know their holds by the request. */
    @Override
    @Nullable Hold holdOf(long session) {
        return writer != null && writer.session.id == session && !(writer instanceof AskHold)
                ? writer
                : null;
    }

    @Override
    void add(Hold added) {
        if (sharing != null) {
            if (added instanceof AskHold asked && asked.offered) {
                sharing.offer = asked;
            }
            if (added.mode() == Mode.READ) {
                sharing.readers.put(added.fence, added);
                return;
            }
        }
        writer = added;
    }

    /** The offer is taken up: it does not stand in the way any more. */
    void confirm(AskHold hold) {
        hold.offered = false;
        if (sharing != null) {
            sharing.offer = null;
        }
    }

    @Override
    void remove(Hold removed) {
        if (sharing == null) {
            writer = null;
            return;
        }
        if (sharing.offer == removed) {
            sharing.offer = null;
        }
        if (removed == writer) {
            writer = null;
        } else {
            sharing.readers.remove(removed.fence);
        }
        tidy();
    }

    /** Becomes a plain mutex again if nobody needs more. */
    void tidy() {
        if (sharing != null && waiters == 0 && sharing.readers.isEmpty()) {
            sharing = null; // no number of arrival is in use
        }
    }

    /** A writer is alone. */
    @Override
    Collection<Hold> holds() {
        if (writer != null) {
            return List.of(writer);
        }
        return sharing == null ? List.of() : sharing.readers.values();
    }
}
