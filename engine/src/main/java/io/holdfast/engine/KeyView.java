package io.holdfast.engine;

import java.util.List;

/**
 * How a key stands at one moment.
 *
 * @param held how many hold it
 * @param holders the first of them, in order of grant
 */
public record KeyView(Kind kind, long limit, int held, int waiters, List<Holder> holders) {
    /**
     * One of those who hold it.
     *
     * @param leaseLeftNanos {@link Command#FOREVER} without end
     */
    public record Holder(long session, long fence, Mode mode, long leaseLeftNanos) {}
}
