/**
 * What every route stands on: routing, exchanges, strict request bodies, errors, who may do what,
 * and streams of events.
 */
@NullMarked
package io.holdfast.http.web;

import org.jspecify.annotations.NullMarked;
