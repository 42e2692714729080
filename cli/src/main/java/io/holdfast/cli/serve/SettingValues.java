package io.holdfast.cli.serve;

import io.holdfast.cli.logging.LineLogger;
import io.holdfast.console.options.FileNames;
import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.Secret;
import io.holdfast.engine.EngineSettings;
import io.holdfast.protocol.text.Whitespace;
import io.holdfast.server.ConfigException;
import io.holdfast.server.IoTransport;
import io.holdfast.server.ListenEndpoint;
import io.holdfast.server.LockdConfig;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.TlsFiles;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The text values of all settings, and the configuration made of them. */
final class SettingValues {
    private final Map<Setting, String> texts = new EnumMap<>(Setting.class);
    private final boolean zeroIsNoLimit;

    /**
     * @param zeroIsNoLimit whether {@code --max-locks 0} is valid and means unlimited
     */
    SettingValues(boolean zeroIsNoLimit) {
        this.zeroIsNoLimit = zeroIsNoLimit;
    }

    void put(Setting setting, String text) {
        texts.put(setting, text);
    }

    void removeLimitsPerConnection() {
        put(Setting.MAX_NAMES_PER_CONNECTION, "0");
        put(Setting.MAX_WAITERS_PER_CONNECTION, "0");
        put(Setting.MAX_KEYS_PER_CONNECTION, "0");
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

    Duration seconds(Setting setting) {
        return Duration.ofSeconds(number(setting));
    }

    boolean isOn(Setting setting) {
        return FlagBooleans.parse(text(setting)).orElseThrow();
    }

    @Nullable Path path(Setting setting) {
        if (!isSet(setting)) {
            return null;
        }
        try {
            return Path.of(text(setting));
        } catch (InvalidPathException e) {
            throw new ConfigException(
                    "--" + setting.flag + ": " + FileNames.refused(text(setting)));
        }
    }

    /** Validates every value, in the order of {@link Setting}, and makes the configuration. */
    ServerConfig toConfig(
            List<ListenEndpoint> listeners, @Nullable Secret secret, LockdConfig lockd) {
        return toConfig(listeners, List.of(), secret, lockd);
    }

    /** The same, with listeners for HTTP beside the others. */
    ServerConfig toConfig(
            List<ListenEndpoint> listeners,
            List<HttpListener> http,
            @Nullable Secret secret,
            LockdConfig lockd) {
        for (Setting setting : texts.keySet()) {
            if (setting.type == Setting.Type.COUNT || setting.type == Setting.Type.SECONDS) {
                long _ = number(setting);
            }
        }
        TlsFiles tls = tls();
        checkListeners(listeners, http, tls);
        LineLogger.setDebug(isOn(Setting.DEBUG));
        return new ServerConfig(
                listeners,
                new EngineSettings(
                        count(Setting.MAX_WAITERS),
                        seconds(Setting.GC_MAX_IDLE).toNanos(),
                        isOn(Setting.AUTO_RELEASE_ON_DISCONNECT),
                        count(Setting.MAX_LIST_LENGTH),
                        isSet(Setting.DATA_DIR),
                        Map.of()),
                number(Setting.MAX_LOCKS),
                number(Setting.MAX_KEYS),
                count(Setting.MAX_SUBSCRIPTIONS),
                number(Setting.MAX_PUSH_BYTES),
                new ClientLimits(
                        count(Setting.MAX_NAMES_PER_CONNECTION),
                        count(Setting.MAX_WAITERS_PER_CONNECTION),
                        count(Setting.MAX_KEYS_PER_CONNECTION)),
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
                tls,
                path(Setting.FENCE_STATE_FILE),
                IoTransport.of(text(Setting.TRANSPORT)),
                count(Setting.EVENT_LOOPS));
    }

    private static void checkListeners(
            List<ListenEndpoint> listeners, List<HttpListener> http, @Nullable TlsFiles tls) {
        if (listeners.isEmpty() && http.isEmpty()) {
            throw new ConfigException("at least one listen address is required");
        }
        for (HttpListener listener : http) {
            if (listener.tls() && tls == null) {
                throw new ConfigException(
                        "listening with TLS on " + listener + " needs a certificate and a key");
            }
        }
        if (tls != null
                && listeners.stream().noneMatch(ListenEndpoint::tls)
                && http.stream().noneMatch(HttpListener::tls)) {
            throw new ConfigException(
                    "there is a TLS certificate, but no listen address uses TLS (dflockds://,"
                            + " lockds://, lockd+wss:// or https://)");
        }
    }

    /**
     * Returns the configuration of HTTP; null without HTTP listeners.
     *
     * @param secret token with full access, for all listeners
     * @param reading token with read access
     */
    @Nullable HttpSettings http(
            List<HttpListener> listeners, @Nullable Secret secret, @Nullable Secret reading) {
        if (listeners.isEmpty()) {
            return null;
        }
        if (reading != null && secret == null) {
            throw new ConfigException(
                    "--http-read-token requires --auth-token: without it every client has full"
                            + " access");
        }
        Duration idle = seconds(Setting.HTTP_SESSION_IDLE_TIMEOUT);
        Duration ping = seconds(Setting.HTTP_SSE_PING_INTERVAL);
        if (idle.isPositive() && ping.compareTo(idle) >= 0) {
            throw new ConfigException(
                    "--http-sse-ping-interval must be less than --http-session-idle-timeout (got "
                            + ping.toSeconds()
                            + "s and "
                            + idle.toSeconds()
                            + "s)");
        }
        return new HttpSettings(
                listeners,
                secret,
                reading,
                isOn(Setting.HTTP_ADMIN),
                idle,
                ping,
                count(Setting.HTTP_MAX_SESSIONS),
                count(Setting.HTTP_MAX_SESSIONS_PER_IP),
                count(Setting.HTTP_MAX_CONNECTIONS_PER_IP),
                count(Setting.HTTP_RATE_LIMIT_PER_IP),
                count(Setting.HTTP_RATE_LIMIT_BURST),
                names(Setting.HTTP_CORS_ALLOWED_ORIGINS),
                names(Setting.HTTP_ALLOWED_HOSTS),
                tls());
    }

    /** Splits a list at commas or whitespace. */
    private Set<String> names(Setting setting) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : text(setting).split("[,\\s]+", -1)) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    /**
     * Returns the configuration of lockd's listeners.
     *
     * @param events gets one line per event; null for no event log
     */
    LockdConfig lockd(@Nullable Consumer<String> events) {
        Set<String> origins = new LinkedHashSet<>();
        for (String name : names(Setting.WS_ALLOW_ORIGIN)) {
            origins.add(AllowedOriginParser.parse(name));
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

    /** Makes a secret of a value; whitespace around it is removed. */
    static Secret secret(Setting setting, String text) {
        return secret(text.getBytes(StandardCharsets.UTF_8), noun(setting));
    }

    /** Reads a secret from a file; whitespace around it is removed. */
    static Secret secretFile(Setting setting, String file) {
        String noun = noun(setting) + " file " + file;
        try {
            return secret(Files.readAllBytes(Path.of(file)), noun);
        } catch (NoSuchFileException e) {
            throw new ConfigException("cannot read " + noun + ": it does not exist");
        } catch (AccessDeniedException e) {
            throw new ConfigException("cannot read " + noun + ": permission denied");
        } catch (InvalidPathException e) {
            throw new ConfigException("cannot read " + noun + ": " + e.getReason());
        } catch (IOException e) { // for a directory, the message is "Is a directory"
            throw new ConfigException("cannot read " + noun + ": " + e.getMessage());
        }
    }

    private static String noun(Setting setting) {
        return setting == Setting.AUTH_TOKEN ? "the auth token" : "the HTTP read token";
    }

    private static Secret secret(byte[] bytes, String source) {
        byte[] trimmed = Whitespace.trim(bytes);
        if (trimmed.length == 0) {
            throw new ConfigException(source + " is empty");
        }
        for (byte c : trimmed) {
            if (c == '\n' || c == '\r') {
                throw new ConfigException(source + " contains a line break");
            }
        }
        return new Secret(trimmed);
    }
}
