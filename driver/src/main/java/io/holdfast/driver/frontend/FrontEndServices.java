package io.holdfast.driver.frontend;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.Driver;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.monitor.ServerMonitor;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The services of the server that a {@link FrontEnd} uses.
 *
 * @param connections number of clients, as reported by stats; front ends count the sessions that
 *     represent a client themselves
 * @param connectionBudget memory for connections and their sessions
 * @param authFailures counts wrong secrets of all protocols together
 * @param draining whether new work is rejected
 * @param defaultLease the lease of requests that do not specify one
 */
public record FrontEndServices(
        Driver driver,
        ServerMonitor monitor,
        AtomicInteger connections,
        FixedSizeMemoryBudget connectionBudget,
        AuthFailures authFailures,
        BooleanSupplier draining,
        Duration defaultLease) {}
