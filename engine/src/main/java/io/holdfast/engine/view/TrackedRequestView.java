package io.holdfast.engine.view;

import io.holdfast.engine.Command;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

/**
 * The hold or waiter of a tracked acquire.
 *
 * @param request its number
 * @param token null while it waits
 * @param leaseLeftNanos 0 while it waits, {@link Command#FOREVER} if unlimited
 */
public record TrackedRequestView(long request, @Nullable Token token, long leaseLeftNanos) {}
