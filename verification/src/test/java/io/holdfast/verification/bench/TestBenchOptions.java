package io.holdfast.verification.bench;

import io.holdfast.console.options.ServerAddress;

import java.util.List;

/** Options for tests. */
final class TestBenchOptions {
    private TestBenchOptions() {}

    static BenchOptions options(int workers, int rounds, String key, boolean sharedKey) {
        return new BenchOptions(
                workers,
                rounds,
                10,
                key,
                sharedKey,
                30,
                10,
                List.of(new ServerAddress("127.0.0.1", 6388), new ServerAddress("::1", 6389)),
                1,
                null,
                null,
                BenchNetworkIo.NIO);
    }
}
