package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;

import org.jspecify.annotations.Nullable;

/**
 * What clients have to know.
 *
 * @param full lets do everything; null if nobody needs one
 * @param reading lets read over HTTP; null if there is none
 */
record Secrets(@Nullable Secret full, @Nullable Secret reading) {}
