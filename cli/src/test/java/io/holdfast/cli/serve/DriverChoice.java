package io.holdfast.cli.serve;

import io.holdfast.driver.lagging.LaggingDriver;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.StartException;

import java.time.Duration;
import java.util.List;

/** What a server is driven by. */
enum DriverChoice {
    LOCAL {
        @Override
        HoldfastServer start(ServerConfig config) throws StartException {
            return HoldfastServer.start(config);
        }
    },
    /** Nothing is applied before it was submitted, as in a cluster. */
    LAGGING {
        @Override
        HoldfastServer start(ServerConfig config) throws StartException {
            return HoldfastServer.start(
                    config, List.of(), LaggingDriver.source(SEED, LONGEST_PAUSE));
        }
    };

    private static final long SEED = 1;
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(3);

    abstract HoldfastServer start(ServerConfig config) throws StartException;
}
