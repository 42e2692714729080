package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Kind;
import io.holdfast.engine.ResourceView;
import io.holdfast.protocol.json.JsonText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Writes the line of {@code stats} piece by piece, so that a long one never stands in memory as a
 * whole: {@link #begin}, then for each {@link Part} its keys, then {@link #end}.
 */
public final class DflockdStats {
    /** A lease without end, as the largest number of seconds the protocol has. */
    private static final long MOST_SECONDS_NANOS = 9_223_372_036_000_000_000L;

    /** The arrays that list keys, in the order of the line. */
    public enum Part {
        LOCKS("locks", false, true),
        SEMAPHORES("semaphores", false, false),
        IDLE_LOCKS("idle_locks", true, true),
        IDLE_SEMAPHORES("idle_semaphores", true, false);

        private final String name;
        private final boolean idle;
        private final boolean locks;

        Part(String name, boolean idle, boolean locks) {
            this.name = name;
            this.idle = idle;
            this.locks = locks;
        }

        /** Whether this part lists keys that have neither holders nor waiters. */
        public boolean isIdle() {
            return idle;
        }

        /** A semaphore of limit 1 is listed among the locks. */
        boolean takes(ResourceView view) {
            return locks == (view.kind() == Kind.MUTEX || view.limit() == 1);
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
        if (!part.takes(view)) {
            return;
        }
        ByteBufUtil.writeAscii(out, empty ? "{\"key\":" : ",{\"key\":");
        empty = false;
        JsonText.write(view.key().bytes(), out);
        switch (part) {
            case LOCKS -> {
                ByteBufUtil.writeAscii(out, ",\"owner_conn_id\":" + view.owner());
                ByteBufUtil.writeAscii(out, ",\"lease_expires_in_s\":");
                JsonText.writeSeconds(Math.min(view.leaseLeftNanos(), MOST_SECONDS_NANOS), out);
                ByteBufUtil.writeAscii(out, ",\"waiters\":" + view.waiters());
            }
            case SEMAPHORES -> {
                ByteBufUtil.writeAscii(out, ",\"limit\":" + view.limit());
                ByteBufUtil.writeAscii(out, ",\"holders\":" + view.holders());
                ByteBufUtil.writeAscii(out, ",\"waiters\":" + view.waiters());
            }
            case IDLE_LOCKS, IDLE_SEMAPHORES -> {
                ByteBufUtil.writeAscii(out, ",\"idle_s\":");
                JsonText.writeSeconds(view.idleNanos(), out);
            }
        }
        out.writeByte('}');
    }

    public void end(Part part, ByteBuf out) {
        out.writeByte(']');
    }

    public void end(ByteBuf out) {
        ByteBufUtil.writeAscii(
                out, ",\"counters\":[],\"kv_entries\":[],\"lists\":[],\"signal_channels\":[]}\n");
    }
}
