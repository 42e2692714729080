package io.holdfast.protocol.text;

import io.netty.buffer.ByteBuf;

/** Detects HTTP and HTTPS: a web page must not be able to send commands to a lock port. */
public final class HttpDetector {
    private static final String VERSION = " HTTP/";

    private HttpDetector() {}

    /** Whether a line ends like {@code GET / HTTP/1.1}, ignoring carriage returns at its end. */
    public static boolean is(ByteBuf in, int start, int lineEnd) {
        int end = lineEnd;
        while (end > start && in.getByte(end - 1) == '\r') {
            end--;
        }
        if (end - start < 9 || in.getByte(end - 2) != '.') {
            return false;
        }
        for (int i = 0; i < VERSION.length(); i++) {
            if (in.getByte(end - 9 + i) != VERSION.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the input begins like a TLS handshake. A web page can control bytes of a handshake,
     * including line feeds, by the session ticket that its server has issued.
     */
    public static boolean isTls(ByteBuf in, int start, int end) {
        return end - start >= 2 && in.getByte(start) == 0x16 && in.getByte(start + 1) == 0x03;
    }
}
