package io.holdfast.client;

import java.util.function.Consumer;

/**
 * Messages to whoever listens now.
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
     * Sends, and tells how many got it.
     *
     * @param channel no wildcards
     * @param payload not blank, no line break
     */
    int send(String channel, String payload);

    /**
     * Listens until closed; calls come one after the other.
     *
     * @param pattern with {@code *} for one part and {@code >} for the rest
     */
    Subscription listen(String pattern, Consumer<Signal> action);

    /** Of one group each signal goes to one listener. */
    Subscription listen(String pattern, String group, Consumer<Signal> action);

    /** The same, to be read by an iterator. */
    SignalStream stream(String pattern);

    SignalStream stream(String pattern, String group);

    /** A signal, or the notice of a gap. */
    sealed interface Signal permits Message, Gap {}

    /** What somebody sent. */
    record Message(String channel, String payload) implements Signal {}

    /** The connection was lost meanwhile: signals may have been missed. */
    record Gap() implements Signal {}

    /** Until it is closed, signals come. */
    interface Subscription extends AutoCloseable {
        String pattern();

        /** How many were thrown away because they came faster than they were taken. */
        long dropped();

        @Override
        void close();
    }

    /**
     * Signals in order; {@code next()} waits, and there are no more once it is closed. To one who
     * is interrupted there seem to be no more: the flag, which is kept, tells it from a close.
     */
    interface SignalStream extends Subscription, Iterable<Signal> {}
}
