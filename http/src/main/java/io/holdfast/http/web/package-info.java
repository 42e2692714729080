/**
 * The HTTP layer that all routes use: routing, exchanges, strict request bodies, errors,
 * authentication, and event streams.
 */
@NullMarked
package io.holdfast.http.web;

import org.jspecify.annotations.NullMarked;
