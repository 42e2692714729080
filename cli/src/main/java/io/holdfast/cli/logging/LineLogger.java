package io.holdfast.cli.logging;

import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Writes one line per log event. Loggers of libraries log errors only. */
public final class LineLogger extends LegacyAbstractLogger implements LoggingEventAware {
    private static final long serialVersionUID = 1L;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
    private static volatile boolean debug;
    private static volatile boolean quiet;

    /**
     * Whether this is a logger of Holdfast. Computed once, since libraries check the level often.
     */
    private final boolean ours;

    /** Silent unless debugging: the Ratis client logs failed sends, which Holdfast retries. */
    private final boolean handled;

    LineLogger(String name) {
        this.name = name;
        this.ours = name.startsWith("io.holdfast");
        this.handled = name.startsWith("org.apache.ratis.client");
    }

    /** Turns debug lines on or off, everywhere. */
    public static void setDebug(boolean on) {
        debug = on;
    }

    /** Drops lines below warning level, everywhere, unless debug lines are on. */
    public static void setQuiet(boolean on) {
        quiet = on;
    }

    private boolean isEnabled(Level level) {
        if (handled && !debug) {
            return false;
        }
        return level.toInt() >= (ours ? minLevel() : Level.ERROR).toInt();
    }

    private static Level minLevel() {
        if (debug) {
            return Level.DEBUG;
        }
        return quiet ? Level.WARN : Level.INFO;
    }

    @Override
    public boolean isTraceEnabled() {
        return isEnabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return isEnabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return isEnabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return isEnabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return isEnabled(Level.ERROR);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public void log(LoggingEvent event) {
        if (!isEnabled(event.getLevel())) {
            return;
        }
        StringBuilder line =
                begin(
                        event.getLevel(),
                        MessageFormatter.basicArrayFormat(
                                event.getMessage(), event.getArgumentArray()));
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                append(line, pair.key, String.valueOf(pair.value));
            }
        }
        end(line, event.getThrowable());
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable cause) {
        end(begin(level, MessageFormatter.basicArrayFormat(message, arguments)), cause);
    }

    private static StringBuilder begin(Level level, String message) {
        StringBuilder line = new StringBuilder(128);
        line.append("time=").append(TIME.format(OffsetDateTime.now(ZoneId.systemDefault())));
        line.append(" level=").append(level == Level.TRACE ? Level.DEBUG : level);
        append(line, "msg", message);
        return line;
    }

    private static void end(StringBuilder line, @Nullable Throwable cause) {
        if (cause != null) {
            append(line, "error", FailureText.of(cause));
            if (debug) {
                append(line, "exception", cause.toString());
                if (cause.getStackTrace().length > 0) {
                    append(line, "at", cause.getStackTrace()[0].toString());
                }
            }
        }
        System.err.println(line);
    }

    static void append(StringBuilder line, String name, String value) {
        if (!line.isEmpty()) {
            line.append(' ');
        }
        line.append(name).append('=');
        if (isPlain(value)) {
            line.append(value);
            return;
        }
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> line.append('\\').append(c);
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> {
                    if (Character.isISOControl(c)) {
                        line.append(String.format("\\u%04x", (int) c));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
        line.append('"');
    }

    private static boolean isPlain(String value) {
        return !value.isEmpty()
                && value.chars().allMatch(c -> c > ' ' && c != '"' && c != '=' && c < 0x7f);
    }
}
