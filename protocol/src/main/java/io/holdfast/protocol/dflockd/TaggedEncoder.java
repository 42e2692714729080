package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Command;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.TrackedRequestView;
import io.holdfast.protocol.json.JsonText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongFunction;

/** Writes what only tagged mode has; other answers are those of {@link DflockdEncoder}. */
public final class TaggedEncoder {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private TaggedEncoder() {}

    /** The answer to {@code hello}. */
    public static void welcome(
            long session,
            String secret,
            long graceNanos,
            long leaseNanos,
            long readNanos,
            boolean resumed,
            ByteBuf out) {
        ascii("ok " + TaggedSyntax.VERSION + " session=" + session + " secret=" + secret, out);
        ascii(" grace=" + span(graceNanos), out);
        ascii(" lease=" + span(leaseNanos), out);
        ascii(" read=" + span(readNanos), out);
        ascii(resumed ? " resumed\n" : "\n", out);
    }

    /** What the answer begins with. */
    public static void tag(long tag, ByteBuf out) {
        ascii(Long.toString(tag), out);
        out.writeByte(' ');
    }

    /** {@code ok <token> <span>}, or {@code acquired} for {@code ok}. */
    public static void granted(Token token, long leaseNanos, boolean enqueued, ByteBuf out) {
        ascii(enqueued ? "acquired " : "ok ", out);
        DflockdEncoder.token(token, out);
        ascii(" " + span(leaseNanos) + "\n", out);
    }

    /** {@code ok <span>} */
    public static void renewed(long leaseNanos, ByteBuf out) {
        ascii("ok " + span(leaseNanos) + "\n", out);
    }

    public static void cancelled(ByteBuf out) {
        ascii("cancelled\n", out);
    }

    /** {@code lost <tag> <reason>}: a pushed line, no answer. */
    public static void lost(long tag, String reason, ByteBuf out) {
        ascii("lost " + tag + " " + reason + "\n", out);
    }

    /** {@code ok}, and of each its tag, and its token and what is left of its lease if it holds. */
    public static void trackedRequests(List<TrackedRequestView> places, ByteBuf out) {
        ascii("ok", out);
        for (TrackedRequestView place : places) {
            Token token = place.token();
            ascii(" " + place.request() + (token == null ? ":w" : ":h:"), out);
            if (token != null) {
                DflockdEncoder.token(token, out);
                // Rounded down: nobody is to believe in more than is left.
                long left = place.leaseLeftNanos() / NANOS_PER_MILLI * NANOS_PER_MILLI;
                ascii(":" + span(left), out);
            }
        }
        out.writeByte('\n');
    }

    /**
     * {@code ok} and how a key stands, as JSON.
     *
     * @param asking the session that asks, which gets its position if it waits
     * @param lock null if nobody uses a lock of that name
     * @param labelOf what a session is called, null if it is gone
     */
    public static void keyInfo(
            long asking,
            @Nullable KeyView lock,
            @Nullable KeyView semaphore,
            LongFunction<@Nullable String> labelOf,
            ByteBuf out) {
        ascii("ok {", out);
        if (lock != null) {
            part("mutex", asking, lock, labelOf, out);
        }
        if (semaphore != null) {
            ascii(lock == null ? "" : ",", out);
            part("semaphore", asking, semaphore, labelOf, out);
        }
        ascii("}\n", out);
    }

    private static void part(
            String name,
            long asking,
            KeyView view,
            LongFunction<@Nullable String> labelOf,
            ByteBuf out) {
        ascii("\"" + name + "\":{", out);
        if (view.kind() == ResourceKind.SEMAPHORE) {
            ascii("\"limit\":" + view.limit() + ",", out);
        }
        ascii("\"holders\":[", out);
        for (int i = 0; i < view.holders().size(); i++) {
            ascii(i == 0 ? "" : ",", out);
            holder(view.holders().get(i), labelOf, out);
        }
        ascii("],\"held\":" + view.held() + ",\"waiters\":" + view.waiters(), out);
        for (KeyView.Waiter waiter : view.queue()) {
            if (waiter.session() == asking) {
                ascii(",\"position\":" + waiter.position(), out);
                break;
            }
        }
        ascii("}", out);
    }

    private static void holder(
            KeyView.Holder holder, LongFunction<@Nullable String> labelOf, ByteBuf out) {
        String label = labelOf.apply(holder.session());
        ascii("{\"session\":" + (label == null ? 0 : holder.session()) + ",\"label\":", out);
        JsonText.write((label == null ? "" : label).getBytes(StandardCharsets.UTF_8), out);
        long left = holder.leaseLeftNanos();
        ascii(
                ",\"fence\":\""
                        + Long.toUnsignedString(holder.fence())
                        + "\",\"mode\":\""
                        + (holder.mode() == ReadWriteMode.READ ? "read" : "write")
                        + "\",\"lease_ms\":"
                        + (left == Command.FOREVER ? -1 : left / NANOS_PER_MILLI)
                        + "}",
                out);
    }

    /** Whole seconds, or milliseconds with {@code ms} behind them. */
    private static String span(long nanos) {
        return nanos % NANOS_PER_SECOND == 0
                ? Long.toString(nanos / NANOS_PER_SECOND)
                : nanos / NANOS_PER_MILLI + "ms";
    }

    private static void ascii(String text, ByteBuf out) {
        ByteBufUtil.writeAscii(out, text);
    }
}
