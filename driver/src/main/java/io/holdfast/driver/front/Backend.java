package io.holdfast.driver.front;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.Driver;
import io.holdfast.driver.Room;
import io.holdfast.driver.signal.SignalDirectory;
import io.holdfast.driver.watch.Observatory;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * What a {@link FrontEnd} serves its clients with.
 *
 * @param signals where signals go
 * @param connections how many clients are there, as stats tell; sessions that stand for a client
 *     count themselves
 * @param connectionRoom memory for connections and their sessions
 * @param authFailures counts wrong secrets of all protocols together
 * @param draining whether nothing new may begin
 * @param defaultLease for those who name none
 */
public record Backend(
        Driver driver,
        Observatory observatory,
        SignalDirectory signals,
        AtomicInteger connections,
        Room connectionRoom,
        AuthFailures authFailures,
        BooleanSupplier draining,
        Duration defaultLease) {}
