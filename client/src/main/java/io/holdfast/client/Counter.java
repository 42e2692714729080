package io.holdfast.client;

/**
 * A 64-bit counter that is stored by the server.
 *
 * {@snippet :
 * Counter visits = holdfast.counter("visits");
 * visits.set(40);
 * System.out.println(visits.increment(2)); // 42
 * }
 */
public interface Counter {
    String key();

    long increment();

    long increment(long by);

    long decrement();

    long decrement(long by);

    long get();

    void set(long value);
}
