package io.holdfast.http.metrics;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * What the front end knows about itself.
 *
 * @param version of the program
 * @param ready whether it serves
 * @param sessions how many sessions clients have opened over HTTP
 */
public record Status(String version, BooleanSupplier ready, IntSupplier sessions) {}
