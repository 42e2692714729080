package io.holdfast.driver.frontend;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.Driver;
import io.holdfast.driver.FixedSizeMemoryBudget;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.signal.SignalServices;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * What a {@link FrontEnd} serves its clients with.
 *
 * @param signals where signals go
 * @param connections how many clients are there, as stats tell; sessions that stand for a client
 *     count themselves
 * @param connectionBudget memory for connections and their sessions
 * @param authFailures counts wrong secrets of all protocols together
 * @param draining whether nothing new may begin
 * @param defaultLease for those who name none
 */
public record FrontEndServices(
        Driver driver,
        ServerMonitor observatory,
        SignalServices signals,
        AtomicInteger connections,
        FixedSizeMemoryBudget connectionBudget,
        AuthFailures authFailures,
        BooleanSupplier draining,
        Duration defaultLease) {}
