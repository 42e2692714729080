package io.holdfast.cli.serve;

import io.holdfast.driver.lagging.LaggingDriver;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.listener.StartException;

import java.time.Duration;
import java.util.List;

/** The driver of a server. */
enum DriverChoice {
    LOCAL {
        @Override
        HoldfastServer start(ServerConfig config) throws StartException {
            return HoldfastServer.start(config);
        }
    },
    /** Applies commands some time after their submission, as a cluster does. */
    LAGGING {
        @Override
        HoldfastServer start(ServerConfig config) throws StartException {
            return HoldfastServer.start(config, List.of(), LaggingDriver.source(SEED, MAX_PAUSE));
        }
    };

    private static final long SEED = 1;
    private static final Duration MAX_PAUSE = Duration.ofMillis(3);

    abstract HoldfastServer start(ServerConfig config) throws StartException;
}
