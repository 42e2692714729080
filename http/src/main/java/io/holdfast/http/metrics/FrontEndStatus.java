package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.ClusterView;

import org.jspecify.annotations.Nullable;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * What the front end knows about itself.
 *
 * @param version of the program
 * @param ready whether it serves
 * @param sessions how many sessions clients have opened over HTTP
 * @param cluster how the cluster looks from here; null if there is none
 */
public record FrontEndStatus(
        String version,
        BooleanSupplier ready,
        IntSupplier sessions,
        @Nullable Supplier<ClusterView> cluster) {}
