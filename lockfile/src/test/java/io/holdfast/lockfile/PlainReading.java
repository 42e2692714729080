package io.holdfast.lockfile;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A simple reference reader for files below the limit, which shares no code with the library. */
final class PlainReading {
    private static final Pattern FIELD =
            Pattern.compile("[ \\t\\r\\x0B\\f]*([^=]*)=(.*?)[ \\t\\r\\x0B\\f]*", Pattern.DOTALL);
    private static final Pattern DEBRIS =
            Pattern.compile(
                    "|p|pi|pid|pid=|pid=[0-9]+(\\r|\\r?\\n"
                            + "(|t|ti|tim|time|times|timest|timesta|timestam|timestamp|timestamp=)"
                            + ")?");
    private static final Set<String> ALWAYS = Set.of("pid", "timestamp", "tag");

    private PlainReading() {}

    static String of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String[] lines = text.replaceFirst("\\A\ufeff", "").split("\n", -1);
        Map<String, String> fields = new HashMap<>();
        String unended = "";
        for (int i = 0; i < lines.length; i++) {
            boolean ended = i < lines.length - 1;
            Matcher field = FIELD.matcher(lines[i]);
            if (field.matches() && (ended || ALWAYS.contains(field.group(1)))) {
                fields.put(field.group(1), field.group(2));
                unended = ended ? unended : field.group(1);
            }
        }
        String pid = number(fields.get("pid"), "4294967295");
        String timestamp = number(fields.get("timestamp"), "18446744073709551615");
        if (pid == null || timestamp == null) {
            return DEBRIS.matcher(text).matches() ? "DEBRIS" : "FOREIGN";
        }
        return String.join(
                "|",
                pid + (unended.equals("pid") ? "..." : ""),
                timestamp + (unended.equals("timestamp") ? "..." : ""),
                fields.get("tag"),
                fields.get("nonce"),
                number(fields.get("start"), "18446744073709551615"),
                fields.get("host"),
                number(fields.get("acquired"), "18446744073709551615"));
    }

    /** The result of the library's reader, in the same form. */
    static String words(LockFile read) {
        Holder holder = read.holder();
        return holder == null
                ? read.content().name()
                : String.join(
                        "|",
                        holder.pid() + (read.pidEnded() ? "" : "..."),
                        holder.timestamp() + (read.timestampEnded() ? "" : "..."),
                        holder.tag(),
                        holder.nonce(),
                        holder.start() == null ? null : holder.start().toString(),
                        holder.host(),
                        holder.acquired() == null ? null : holder.acquired().toString());
    }

    private static String number(String text, String highest) {
        if (text == null || !text.matches("\\+?[0-9]+")) {
            return null;
        }
        BigInteger value = new BigInteger(text);
        return value.compareTo(new BigInteger(highest)) > 0
                ? null
                : value.min(BigInteger.valueOf(Long.MAX_VALUE)).toString();
    }
}
