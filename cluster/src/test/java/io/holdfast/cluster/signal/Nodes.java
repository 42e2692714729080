package io.holdfast.cluster.signal;

import io.holdfast.cluster.entry.Item;
import io.holdfast.driver.signal.Listener;
import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Copies of one state, one on each node, all told the same; and those who are connected there. */
final class Nodes {
    /** One of those connected, and what it has heard. */
    static final class Person implements Listener {
        private final long session;
        private final List<String> heard = new ArrayList<>();
        private boolean full;
        private int overruns;

        private Person(long session) {
            this.session = session;
        }

        long session() {
            return session;
        }

        List<String> heard() {
            return heard;
        }

        int overruns() {
            return overruns;
        }

        void setFull(boolean value) {
            full = value;
        }

        @Override
        public boolean isFull() {
            return full;
        }

        @Override
        public void deliver(Signal signal) {
            heard.add(signal.channel() + " " + signal.payload());
            signal.release();
        }

        @Override
        public void overrun() {
            overruns++;
        }
    }

    private final List<SignalState> states = new ArrayList<>();
    private final List<Person> people = new ArrayList<>();
    private long requests;

    Nodes(int count) {
        for (int i = 0; i < count; i++) {
            states.add(new SignalState());
        }
    }

    SignalState state(int node) {
        return states.get(node);
    }

    List<Person> people() {
        return people;
    }

    /** Somebody connects to a node; the stints are 1 for the first node, 2 for the second. */
    Person connect(int node) {
        Person person = new Person(((node + 1L) << 32) | (people.size() + 1));
        people.add(person);
        states.get(node).attach(person.session(), person);
        return person;
    }

    void limit(int most) {
        states.forEach(state -> state.limit(most));
    }

    Effect listen(Person person, String pattern, String group) {
        var item =
                new Item.Listen(
                        person.session(), ++requests, Key.of(pattern), ByteString.of(group));
        return same(states.stream().map(state -> state.listen(item)).toList());
    }

    Effect unlisten(Person person, String pattern, String group) {
        var item =
                new Item.Unlisten(
                        person.session(), ++requests, Key.of(pattern), ByteString.of(group));
        return same(states.stream().map(state -> state.unlisten(item)).toList());
    }

    /** How many were told. */
    long emit(Person person, String channel, String payload) {
        var item =
                new Item.Emit(
                        person.session(), ++requests, Key.of(channel), ByteString.of(payload));
        Effect effect = same(states.stream().map(state -> state.emit(item)).toList());
        return ((Effect.Counted) effect).value();
    }

    void end(Person person) {
        states.forEach(state -> state.end(person.session()));
    }

    /** What a node would write, which is what any other would. */
    byte[] written() {
        List<byte[]> all = states.stream().map(Nodes::written).toList();
        return same(all.stream().map(ByteString::of).toList()).bytes();
    }

    private static byte[] written(SignalState state) {
        var bytes = new ByteArrayOutputStream();
        try {
            state.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** A node forgets what it has and reads what another wrote. */
    void restore(int node) {
        try {
            states.get(node).read(new DataInputStream(new ByteArrayInputStream(written())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T same(List<T> all) {
        for (T each : all) {
            if (!each.equals(all.getFirst())) {
                throw new AssertionError("the nodes do not agree: " + all);
            }
        }
        return all.getFirst();
    }
}
