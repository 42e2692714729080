package io.holdfast.lockd;

/**
 * The two names of a connection.
 *
 * @param connection the server's name of the connection, such as {@code 127.0.0.1:57871} or {@code
 *     unix:3}
 * @param registered the name set with {@link LockdClient#setName}; without one, the connection name
 */
public record LockdIdentity(String connection, String registered) {}
