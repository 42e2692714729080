package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the fields of a lock file line by line. Only a line feed ends a line: with the other line
 * ends that Java recognizes, a tag could forge a field.
 */
final class LockFileReader {
    private static final String BLANKS = " \t\r\u000b\f";
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private static final Pattern NUMBER = Pattern.compile("\\+?0*([0-9]{1,20})");
    private static final BigInteger MAX_PID = BigInteger.valueOf(4294967295L);
    private static final BigInteger MAX_NUMBER = new BigInteger("18446744073709551615");
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private static final Pattern PID_AND_REST =
            Pattern.compile("pid=[0-9]++\r?(.*)", Pattern.DOTALL);

    /** What ends a line. */
    private enum End {
        /** A line feed. */
        LINE_FEED,
        /** The end of the file, whose writer may not have finished the line. */
        FILE,
        /** The read limit. */
        LIMIT
    }

    private @Nullable Long pid;
    private @Nullable Long timestamp;
    private @Nullable String tag;
    private @Nullable String nonce;
    private @Nullable Long start;
    private @Nullable String host;
    private @Nullable Long acquired;
    private boolean pidEnded;
    private boolean timestampEnded;

    private LockFileReader() {}

    static LockFile read(byte[] bytes, Instant modified) {
        int length = Math.min(bytes.length, LockFile.READ_LIMIT);
        boolean whole = bytes.length < LockFile.READ_LIMIT;
        String text = new String(bytes, 0, length, StandardCharsets.UTF_8);
        LockFileReader reader = new LockFileReader();
        reader.lines(withoutMark(text), whole ? End.FILE : End.LIMIT);
        return reader.result(whole && isBeginning(text), modified);
    }

    private static String withoutMark(String text) {
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    /**
     * Whether the text is a beginning of a lock file that ends before the first digit of the
     * timestamp.
     */
    private static boolean isBeginning(String text) {
        if ("pid=".startsWith(text)) {
            return true;
        }
        Matcher matcher = PID_AND_REST.matcher(text);
        return matcher.matches() && "\ntimestamp=".startsWith(matcher.group(1));
    }

    private void lines(String text, End last) {
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            line(text.substring(from, end), End.LINE_FEED);
            from = end + 1;
        }
        line(text.substring(from), last);
    }

    private void line(String untrimmed, End end) {
        String line = strip(untrimmed);
        int equals = line.indexOf('=');
        if (equals < 0) {
            return;
        }
        String key = line.substring(0, equals);
        String value = line.substring(equals + 1);
        if (key.equals("tag")) {
            tag = value;
        } else if (end != End.LIMIT) {
            protocolField(key, value, end);
        }
        if (end == End.LINE_FEED) {
            extensionField(key, value);
        }
    }

    private static String strip(String line) {
        int from = 0;
        int to = line.length();
        while (from < to && isBlank(line.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(line.charAt(to - 1))) {
            to--;
        }
        return line.substring(from, to);
    }

    private static boolean isBlank(char character) {
        return BLANKS.indexOf(character) >= 0;
    }

    private void protocolField(String key, String value, End end) {
        switch (key) {
            case "pid" -> {
                pid = number(value, MAX_PID);
                pidEnded = end == End.LINE_FEED;
            }
            case "timestamp" -> {
                timestamp = number(value, MAX_NUMBER);
                timestampEnded = end == End.LINE_FEED;
            }
            default -> {}
        }
    }

    /** Called only for lines with a line feed: a truncated host or number would be wrong. */
    private void extensionField(String key, String value) {
        switch (key) {
            case "nonce" -> nonce = value;
            case "start" -> start = number(value, MAX_NUMBER);
            case "host" -> host = value;
            case "acquired" -> acquired = number(value, MAX_NUMBER);
            default -> {}
        }
    }

    /**
     * The value, limited to {@link Long#MAX_VALUE}, or null if it is no number or greater than
     * {@code max}.
     */
    private static @Nullable Long number(String text, BigInteger max) {
        Matcher matcher = NUMBER.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        BigInteger value = new BigInteger(matcher.group(1));
        return value.compareTo(max) > 0 ? null : value.min(MAX_LONG).longValue();
    }

    private LockFile result(boolean beginning, Instant modified) {
        if (pid == null || timestamp == null) {
            LockFileContent lockFileContent =
                    beginning ? LockFileContent.DEBRIS : LockFileContent.FOREIGN;
            return new LockFile(lockFileContent, null, modified, false, false);
        }
        Holder holder = new Holder(pid, timestamp, tag, nonce, start, host, acquired);
        return new LockFile(LockFileContent.VALID, holder, modified, timestampEnded, pidEnded);
    }
}
