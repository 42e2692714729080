package io.holdfast.verification.bench;

import io.holdfast.console.options.ServerAddress;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What to measure. The constructor validates everything: every instance can be run.
 *
 * @param warmup rounds per worker that are not measured
 * @param timeoutSeconds timeout of an acquire
 * @param leaseSeconds lease of each acquire; 0 for the server's default
 * @param connections connections per worker
 * @param tls null for plain TCP
 */
record BenchOptions(
        int workers,
        int rounds,
        int warmup,
        String key,
        boolean sharedKey,
        long timeoutSeconds,
        long leaseSeconds,
        List<ServerAddress> servers,
        int connections,
        @Nullable String authToken,
        @Nullable Tls tls,
        BenchNetworkIo transport) {

    /** Encrypt; trust the certificates in {@code authorities} (PEM), or those of the platform. */
    record Tls(@Nullable Path authorities) {}

    static final long MAX_SECONDS = 9_223_372_036L;

    /** Longest line of the protocol, in bytes. */
    private static final int MAX_LINE = 256;

    /**
     * The longest suffix that {@link #workerKeys} adds: an underscore and an unsigned 64-bit
     * number.
     */
    private static final int MAX_SUFFIX = 21;

    /** Throws {@link IllegalArgumentException} with a message that names the flag. */
    BenchOptions {
        require(workers > 0, "--workers must be > 0 (got " + workers + ")");
        require(rounds > 0, "--rounds must be > 0 (got " + rounds + ")");
        require(warmup >= 0, "--warmup must be >= 0 (got " + warmup + ")");
        requireSeconds("--timeout", timeoutSeconds);
        requireSeconds("--lease", leaseSeconds);
        require(connections > 0, "--connections must be >= 0 (got " + connections + ")");
        require(
                (long) workers * connections <= Integer.MAX_VALUE,
                "--workers x --connections is too large");
        require(
                (long) workers * rounds <= Integer.MAX_VALUE - 8,
                "--workers x --rounds must be below 2^31 (got " + (long) workers * rounds + ")");
        requireKey(key, sharedKey);
        require(!servers.isEmpty(), "--server is empty");
        require(
                authToken == null || authToken.chars().noneMatch(c -> c == '\n' || c == '\r'),
                "the token must not contain a line break");
        servers = List.copyOf(servers);
    }

    int operations() {
        return workers * rounds;
    }

    ServerAddress serverOf(int worker) {
        return servers.get(worker % servers.size());
    }

    /** Returns one key per worker: all different, or all the same with {@code --shared-key}. */
    List<String> workerKeys() {
        if (sharedKey) {
            return Collections.nCopies(workers, key);
        }
        var random = ThreadLocalRandom.current();
        var numbers = HashSet.<Long>newHashSet(workers);
        while (numbers.size() < workers) {
            numbers.add(random.nextLong());
        }
        return numbers.stream().map(number -> key + "_" + Long.toUnsignedString(number)).toList();
    }

    private static void requireSeconds(String flag, long seconds) {
        require(
                seconds >= 0 && seconds <= MAX_SECONDS,
                flag + " must be 0 to " + MAX_SECONDS + " seconds (got " + seconds + ")");
    }

    private static void requireKey(String key, boolean sharedKey) {
        require(!key.isEmpty(), "--key is empty");
        require(
                key.chars().noneMatch(c -> c == ' ' || c == '\t' || c == '\n' || c == '\r'),
                "--key must not contain spaces, tabs or line breaks");
        int maxBytes = sharedKey ? MAX_LINE : MAX_LINE - MAX_SUFFIX;
        require(
                key.getBytes(StandardCharsets.UTF_8).length <= maxBytes,
                "--key is longer than " + maxBytes + " bytes");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
