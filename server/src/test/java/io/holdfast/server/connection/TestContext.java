package io.holdfast.server.connection;

import io.holdfast.driver.ClockFences;
import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/** The context of a protocol whose connections are tested without a server. */
public final class TestContext {
    private final Driver driver;
    private InputBudget inputBudget = new InputBudget(Runtime.getRuntime().maxMemory() / 8);
    private DrainState drainState = new DrainState();
    private Duration readTimeout = Duration.ofHours(1);
    private Duration writeTimeout = Duration.ofHours(1);
    private SessionGraces graces = SessionGraces.upTo(Duration.ofMinutes(1));
    private boolean autoRelease = true;
    private long maxPushBytes = 1 << 20;
    private @Nullable Consumer<String> events;

    public TestContext(Driver driver) {
        this.driver = driver;
    }

    public TestContext inputBudget(InputBudget value) {
        inputBudget = value;
        return this;
    }

    public TestContext drainState(DrainState value) {
        drainState = value;
        return this;
    }

    public TestContext timeouts(Duration read, Duration write) {
        readTimeout = read;
        writeTimeout = write;
        return this;
    }

    public TestContext graces(SessionGraces value) {
        graces = value;
        return this;
    }

    public TestContext autoRelease(boolean value) {
        autoRelease = value;
        return this;
    }

    public TestContext maxPushBytes(long value) {
        maxPushBytes = value;
        return this;
    }

    public TestContext events(Consumer<String> value) {
        events = value;
        return this;
    }

    public ServerContext build() {
        return new ServerContext(
                driver,
                new ServerMonitor(1, System::nanoTime),
                new ClockFences(),
                inputBudget,
                drainState,
                null,
                Duration.ofSeconds(33),
                readTimeout,
                writeTimeout,
                graces,
                autoRelease,
                maxPushBytes,
                Set.of(),
                events);
    }
}
