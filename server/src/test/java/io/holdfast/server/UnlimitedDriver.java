package io.holdfast.server;

import io.holdfast.driver.ClockFences;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.EngineSettings;

import java.time.Duration;

/** An empty driver without limits, for tests of one connection. */
public final class UnlimitedDriver {
    private UnlimitedDriver() {}

    public static LocalDriver open() {
        return open(true);
    }

    public static LocalDriver open(boolean autoRelease) {
        return new LocalDriver(
                new EngineSettings(0, Duration.ofSeconds(60).toNanos(), autoRelease),
                KeyCountLimits.NONE,
                Duration.ofSeconds(60),
                new ClockFences(),
                () -> true);
    }
}
