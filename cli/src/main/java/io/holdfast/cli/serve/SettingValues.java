package io.holdfast.cli.serve;

import io.holdfast.cli.logging.LineLogger;
import io.holdfast.driver.Secret;
import io.holdfast.engine.Settings;
import io.holdfast.protocol.text.Blanks;
import io.holdfast.server.ConfigException;
import io.holdfast.server.Endpoint;
import io.holdfast.server.LockdConfig;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.TlsFiles;
import io.holdfast.server.Transport;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The text of every setting, wherever it came from, and the configuration made of it. */
final class SettingValues {
    private final Map<Setting, String> texts = new EnumMap<>(Setting.class);
    private final boolean zeroIsNoLimit;

    /**
     * @param zeroIsNoLimit whether 0 locks mean as many as memory allows, and are no mistake
     */
    SettingValues(boolean zeroIsNoLimit) {
        this.zeroIsNoLimit = zeroIsNoLimit;
    }

    void put(Setting setting, String text) {
        texts.put(setting, text);
    }

    String text(Setting setting) {
        String text = texts.get(setting);
        if (text == null) {
            throw new IllegalStateException("no value for " + setting);
        }
        return text;
    }

    boolean isSet(Setting setting) {
        return !texts.getOrDefault(setting, "").isEmpty();
    }

    long number(Setting setting) {
        return setting.number(text(setting), zeroIsNoLimit);
    }

    private int count(Setting setting) {
        return (int) Math.min(number(setting), Integer.MAX_VALUE);
    }

    private Duration seconds(Setting setting) {
        return Duration.ofSeconds(number(setting));
    }

    boolean isOn(Setting setting) {
        return Switches.parse(text(setting)).orElseThrow();
    }

    private @Nullable Path path(Setting setting) {
        if (!isSet(setting)) {
            return null;
        }
        try {
            return Path.of(text(setting));
        } catch (InvalidPathException e) {
            throw new ConfigException("--" + setting.flag + " is not a path: " + e.getReason());
        }
    }

    /** The gate: every value is checked here, in the order of the table. */
    ServerConfig toConfig(List<Endpoint> listeners, @Nullable Secret secret, LockdConfig lockd) {
        for (Setting setting : texts.keySet()) {
            if (setting.type == Setting.Type.COUNT || setting.type == Setting.Type.SECONDS) {
                long _ = number(setting);
            }
        }
        LineLogger.setDebug(isOn(Setting.DEBUG));
        return new ServerConfig(
                listeners,
                new Settings(
                        count(Setting.MAX_WAITERS),
                        seconds(Setting.GC_MAX_IDLE).toNanos(),
                        isOn(Setting.AUTO_RELEASE_ON_DISCONNECT),
                        count(Setting.MAX_LIST_LENGTH)),
                number(Setting.MAX_LOCKS),
                number(Setting.MAX_KEYS),
                count(Setting.MAX_SUBSCRIPTIONS),
                number(Setting.MAX_PUSH_BYTES),
                lockd,
                count(Setting.MAX_CONNECTIONS),
                count(Setting.MAX_CONNECTIONS_PER_IP),
                seconds(Setting.DEFAULT_LEASE_TTL),
                seconds(Setting.GC_INTERVAL),
                seconds(Setting.READ_TIMEOUT),
                seconds(Setting.WRITE_TIMEOUT),
                seconds(Setting.SHUTDOWN_TIMEOUT),
                seconds(Setting.MAX_SESSION_GRACE),
                secret,
                tls(),
                path(Setting.FENCE_STATE_FILE),
                Transport.of(text(Setting.TRANSPORT)),
                count(Setting.EVENT_LOOPS));
    }

    /**
     * What lockd's listeners are told.
     *
     * @param events takes a line for each thing that happens, if anybody wants to know
     */
    LockdConfig lockd(@Nullable Consumer<String> events) {
        Set<String> origins = new LinkedHashSet<>();
        for (String name : text(Setting.WS_ALLOW_ORIGIN).split("[,\\s]+", -1)) {
            if (!name.isEmpty()) {
                origins.add(OriginNames.parse(name));
            }
        }
        return new LockdConfig(number(Setting.LOCKD_MAX_LOCKS), origins, events);
    }

    private @Nullable TlsFiles tls() {
        Path certificate = path(Setting.TLS_CERT);
        Path key = path(Setting.TLS_KEY);
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            throw new ConfigException("--tls-cert and --tls-key must be given together");
        }
        return new TlsFiles(certificate, key);
    }

    /** The secret given as it is; blanks around it do not count. */
    static Secret secret(String text) {
        return secret(text.getBytes(StandardCharsets.UTF_8), "the auth token");
    }

    /** The secret in a file; blanks around it do not count. */
    static Secret secretFile(String file) {
        try {
            return secret(Files.readAllBytes(Path.of(file)), "the auth token file " + file);
        } catch (IOException | InvalidPathException e) {
            throw new ConfigException("cannot read the auth token file " + file);
        }
    }

    private static Secret secret(byte[] bytes, String source) {
        byte[] trimmed = Blanks.trim(bytes);
        if (trimmed.length == 0) {
            throw new ConfigException(source + " is empty");
        }
        for (byte c : trimmed) {
            if (c == '\n' || c == '\r') {
                throw new ConfigException(source + " has a line break in it");
            }
        }
        return new Secret(trimmed);
    }
}
