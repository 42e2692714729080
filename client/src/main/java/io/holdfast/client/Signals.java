package io.holdfast.client;

import java.util.function.Consumer;

/**
 * Messages to the clients that listen at the moment. They are not stored.
 *
 * {@snippet :
 * try (Signals.SignalStream news = holdfast.signals().stream("orders.*")) {
 *     System.out.println(holdfast.signals().send("orders.new", "order 4711")); // 1
 *     Signals.Signal first = news.iterator().next();
 *     System.out.println(first.equals(new Signals.Message("orders.new", "order 4711"))); // true
 * }
 * }
 */
public interface Signals {
    /**
     * Sends a signal and returns the number of listeners that received it.
     *
     * @param channel without wildcards
     * @param payload not blank, without line breaks
     */
    int send(String channel, String payload);

    /**
     * Listens until the subscription is closed; calls of the action are serialized.
     *
     * @param pattern {@code *} matches one part of a channel, {@code >} the rest
     */
    Subscription listen(String pattern, Consumer<Signal> action);

    /**
     * Listens as a member of a queue group: each signal is delivered to one member of the group.
     */
    Subscription listen(String pattern, String group, Consumer<Signal> action);

    /** Listens; signals are read with an iterator. */
    SignalStream stream(String pattern);

    SignalStream stream(String pattern, String group);

    /** A message, or the notice of a gap. */
    sealed interface Signal permits Message, Gap {}

    /** A message that was sent to a channel. */
    record Message(String channel, String payload) implements Signal {}

    /** The connection was lost in between: signals may have been missed. */
    record Gap() implements Signal {}

    /** A subscription, which receives signals until it is closed. */
    interface Subscription extends AutoCloseable {
        String pattern();

        /**
         * The number of signals that were dropped because they arrived faster than they were
         * consumed.
         */
        long dropped();

        @Override
        void close();
    }

    /**
     * Signals in order. {@code hasNext()} and {@code next()} wait; there are no more signals once
     * this is closed. In an interrupted thread {@code hasNext()} returns false; the interrupt flag,
     * which stays set, distinguishes that from a close.
     */
    interface SignalStream extends Subscription, Iterable<Signal> {}
}
