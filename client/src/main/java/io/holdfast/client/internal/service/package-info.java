/**
 * The interface between the client and its transports: {@link
 * io.holdfast.client.internal.service.LockService}. Internal; not an API for users.
 */
@NullMarked
package io.holdfast.client.internal.service;

import org.jspecify.annotations.NullMarked;
