package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Command;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.TrackedRequestView;
import io.holdfast.protocol.json.JsonText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongFunction;

/** Writes the responses that only tagged mode has; for all others see {@link DflockdEncoder}. */
public final class TaggedEncoder {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private TaggedEncoder() {}

    /** The response to {@code hello}. */
    public static void welcome(
            long session,
            String secret,
            long graceNanos,
            long leaseNanos,
            long readTimeoutNanos,
            boolean resumed,
            ByteBuf out) {
        ascii("ok " + TaggedSyntax.VERSION + " session=" + session + " secret=" + secret, out);
        ascii(" grace=" + duration(graceNanos), out);
        ascii(" lease=" + duration(leaseNanos), out);
        ascii(" read=" + duration(readTimeoutNanos), out);
        ascii(resumed ? " resumed\n" : "\n", out);
    }

    /** The tag that a response begins with. */
    public static void tag(long tag, ByteBuf out) {
        ascii(Long.toString(tag), out);
        out.writeByte(' ');
    }

    /** {@code ok <token> <lease>}, or {@code acquired} instead of {@code ok}. */
    public static void granted(Token token, long leaseNanos, boolean enqueued, ByteBuf out) {
        ascii(enqueued ? "acquired " : "ok ", out);
        DflockdEncoder.token(token, out);
        ascii(" " + duration(leaseNanos) + "\n", out);
    }

    /** {@code ok <lease>} */
    public static void renewed(long leaseNanos, ByteBuf out) {
        ascii("ok " + duration(leaseNanos) + "\n", out);
    }

    public static void cancelled(ByteBuf out) {
        ascii("cancelled\n", out);
    }

    /** {@code lost <tag> <reason>}: a pushed line, not a response. */
    public static void lost(long tag, String reason, ByteBuf out) {
        ascii("lost " + tag + " " + reason + "\n", out);
    }

    /**
     * {@code ok}, and for each tracked request {@code <tag>:w}, or {@code
     * <tag>:h:<token>:<remaining lease>}.
     */
    public static void trackedRequests(List<TrackedRequestView> requests, ByteBuf out) {
        ascii("ok", out);
        for (TrackedRequestView request : requests) {
            Token token = request.token();
            ascii(" " + request.request() + (token == null ? ":w" : ":h:"), out);
            if (token != null) {
                DflockdEncoder.token(token, out);
                // Rounded down: the client must not assume a longer lease than is left.
                long left = request.leaseLeftNanos() / NANOS_PER_MILLI * NANOS_PER_MILLI;
                ascii(":" + duration(left), out);
            }
        }
        out.writeByte('\n');
    }

    /**
     * {@code ok} and the holders and waiters of a key, as JSON.
     *
     * @param requester the session of the request, whose position is written if it waits
     * @param lock null if the lock of that key is unused
     * @param semaphore null if the semaphore of that key is unused
     * @param labelOf the label of a session, null if it has ended
     */
    public static void keyInfo(
            long requester,
            @Nullable KeyView lock,
            @Nullable KeyView semaphore,
            LongFunction<@Nullable String> labelOf,
            ByteBuf out) {
        ascii("ok {", out);
        if (lock != null) {
            part("mutex", requester, lock, labelOf, out);
        }
        if (semaphore != null) {
            ascii(lock == null ? "" : ",", out);
            part("semaphore", requester, semaphore, labelOf, out);
        }
        ascii("}\n", out);
    }

    private static void part(
            String name,
            long requester,
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
            if (waiter.session() == requester) {
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

    /** A duration in whole seconds, or in milliseconds with the suffix {@code ms}. */
    private static String duration(long nanos) {
        return nanos % NANOS_PER_SECOND == 0
                ? Long.toString(nanos / NANOS_PER_SECOND)
                : nanos / NANOS_PER_MILLI + "ms";
    }

    private static void ascii(String text, ByteBuf out) {
        ByteBufUtil.writeAscii(out, text);
    }
}
