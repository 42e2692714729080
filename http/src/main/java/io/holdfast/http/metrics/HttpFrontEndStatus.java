package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.ClusterView;

import org.jspecify.annotations.Nullable;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The state of the HTTP front end that metrics report.
 *
 * @param version of the program
 * @param ready whether it serves clients
 * @param sessions the number of sessions of HTTP clients
 * @param cluster supplies the state of the cluster; null without a cluster
 */
public record HttpFrontEndStatus(
        String version,
        BooleanSupplier ready,
        IntSupplier sessions,
        @Nullable Supplier<ClusterView> cluster) {}
