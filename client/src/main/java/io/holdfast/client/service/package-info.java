/**
 * What the client needs of a server, as an interface: {@link
 * io.holdfast.client.service.LockService}. Internal; not meant for users.
 */
@NullMarked
package io.holdfast.client.service;

import org.jspecify.annotations.NullMarked;
