package io.holdfast.driver.front;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Room;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.watch.Observatory;
import io.holdfast.engine.Namespace;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a {@link FrontEnd} serves its clients with.
 *
 * @param signals the hub of a namespace
 * @param hubs those that have been asked for
 * @param connections how many clients are there, as stats tell; sessions that stand for a client
 *     count themselves
 * @param connectionRoom memory for connections and their sessions
 * @param draining whether nothing new may begin
 * @param defaultLease for those who name none
 */
public record Backend(
        Driver driver,
        Observatory observatory,
        Function<Namespace, SignalHub> signals,
        Supplier<Map<Namespace, SignalHub>> hubs,
        AtomicInteger connections,
        Room connectionRoom,
        BooleanSupplier draining,
        Duration defaultLease) {}
