package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.ValueView;
import io.holdfast.protocol.json.JsonText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Writes the response of {@code stats} in pieces, so that a long one is never in memory as a whole:
 * {@link #begin}, then each {@link Part} with its elements, then {@link #end}.
 */
public final class DflockdStats {
    /** Stands for an unlimited lease: the largest number of seconds of the protocol. */
    private static final long MAX_SECONDS_NANOS = 9_223_372_036_000_000_000L;

    /** The arrays, in the order of the response. */
    public enum Part {
        LOCKS("locks"),
        SEMAPHORES("semaphores"),
        IDLE_LOCKS("idle_locks"),
        IDLE_SEMAPHORES("idle_semaphores"),
        COUNTERS("counters"),
        VALUES("kv_entries"),
        LISTS("lists"),
        SIGNAL_CHANNELS("signal_channels");

        private final String name;

        Part(String name) {
            this.name = name;
        }

        /**
         * Whether a resource belongs to this part. A semaphore of limit 1 is listed among the
         * locks; shared locks are not part of dflockd.
         */
        boolean includes(ResourceView view) {
            return switch (this) {
                case LOCKS, IDLE_LOCKS -> isLock(view);
                case SEMAPHORES, IDLE_SEMAPHORES ->
                        view.kind() == ResourceKind.SEMAPHORE && !isLock(view);
                case COUNTERS, VALUES, LISTS, SIGNAL_CHANNELS -> false;
            };
        }

        private static boolean isLock(ResourceView view) {
            return switch (view.kind()) {
                case LOCK -> true;
                case SEMAPHORE -> view.limit() == 1;
                case SHARED -> false;
            };
        }
    }

    private boolean empty;

    public void begin(int connections, ByteBuf out) {
        ByteBufUtil.writeAscii(out, "ok {\"connections\":" + connections);
    }

    public void begin(Part part, ByteBuf out) {
        ByteBufUtil.writeAscii(out, ",\"" + part.name + "\":[");
        empty = true;
    }

    public void write(Part part, ResourceView view, ByteBuf out) {
        if (!part.includes(view)) {
            return;
        }
        beginKey(view.key(), out);
        switch (part) {
            case LOCKS -> {
                ByteBufUtil.writeAscii(out, ",\"owner_conn_id\":" + view.owner());
                ByteBufUtil.writeAscii(out, ",\"lease_expires_in_s\":");
                JsonText.writeSeconds(Math.min(view.leaseLeftNanos(), MAX_SECONDS_NANOS), out);
                ByteBufUtil.writeAscii(out, ",\"waiters\":" + view.waiters());
            }
            case SEMAPHORES -> {
                ByteBufUtil.writeAscii(out, ",\"limit\":" + view.limit());
                ByteBufUtil.writeAscii(out, ",\"holders\":" + view.holders());
                ByteBufUtil.writeAscii(out, ",\"waiters\":" + view.waiters());
            }
            case IDLE_LOCKS, IDLE_SEMAPHORES -> writeIdle(view.idleNanos(), out);
            case COUNTERS, VALUES, LISTS, SIGNAL_CHANNELS -> throw new IllegalStateException();
        }
        out.writeByte('}');
    }

    public void write(CounterView view, ByteBuf out) {
        beginKey(view.key(), out);
        ByteBufUtil.writeAscii(out, ",\"value\":" + view.value());
        writeIdle(view.idleNanos(), out);
        out.writeByte('}');
    }

    public void write(ValueView view, ByteBuf out) {
        beginKey(view.key(), out);
        ByteBufUtil.writeAscii(out, ",\"value_len\":" + view.length() + ",\"ttl\":");
        JsonText.writeSeconds(Math.min(view.ttlLeftNanos(), MAX_SECONDS_NANOS), out);
        writeIdle(view.idleNanos(), out);
        out.writeByte('}');
    }

    public void write(ListView view, ByteBuf out) {
        beginKey(view.key(), out);
        ByteBufUtil.writeAscii(out, ",\"len\":" + view.length());
        writeIdle(view.idleNanos(), out);
        out.writeByte('}');
    }

    /** Writes the number of listeners of a pattern; an empty group means no group. */
    public void writeChannel(Key pattern, ByteString group, int listeners, ByteBuf out) {
        beginObject("pattern", pattern.bytes(), out);
        if (!group.isEmpty()) {
            ByteBufUtil.writeAscii(out, ",\"group\":");
            JsonText.write(group.bytes(), out);
        }
        ByteBufUtil.writeAscii(out, ",\"listeners\":" + listeners + "}");
    }

    public void end(Part part, ByteBuf out) {
        out.writeByte(']');
    }

    public void end(ByteBuf out) {
        ByteBufUtil.writeAscii(out, "}\n");
    }

    private void beginKey(Key key, ByteBuf out) {
        beginObject("key", key.bytes(), out);
    }

    private void beginObject(String name, byte[] text, ByteBuf out) {
        ByteBufUtil.writeAscii(out, (empty ? "{\"" : ",{\"") + name + "\":");
        empty = false;
        JsonText.write(text, out);
    }

    private static void writeIdle(long idleNanos, ByteBuf out) {
        ByteBufUtil.writeAscii(out, ",\"idle_s\":");
        JsonText.writeSeconds(idleNanos, out);
    }
}
