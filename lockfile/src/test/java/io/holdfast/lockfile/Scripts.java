package io.holdfast.lockfile;

import java.nio.charset.StandardCharsets;

/** The content that programs without this library write into lock files. */
final class Scripts {
    private Scripts() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] joined(byte[] before, String text) {
        return bytes(new String(before, StandardCharsets.UTF_8) + text);
    }

    static String content(SimulatedProcess process, long timestamp) {
        return "pid=" + process.pid + "\ntimestamp=" + timestamp + "\ntag=" + process + "\n";
    }
}
