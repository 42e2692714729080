package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** Admits one holder. */
final class Mutex extends Resource {
    private @Nullable Hold hold;

    Mutex(Key key, HeldTally tally) {
        super(key, tally);
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
        return hold == null;
    }

    @Override
    int holders() {
        return hold == null ? 0 : 1;
    }

    @Override
    @Nullable Hold find(long fence) {
        return hold != null && hold.fence == fence ? hold : null;
    }

    @Override
    @Nullable Hold holdOf(long session) {
        return hold != null && hold.session.id == session ? hold : null;
    }

    @Override
    void add(Hold added) {
        hold = added;
    }

    @Override
    void remove(Hold removed) {
        hold = null;
    }

    @Override
    void forEachHold(Consumer<Hold> action) {
        if (hold != null) {
            action.accept(hold);
        }
    }

    @Override
    @Nullable Hold firstHold() {
        return hold;
    }
}
