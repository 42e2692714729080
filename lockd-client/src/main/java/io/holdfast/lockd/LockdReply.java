package io.holdfast.lockd;

/**
 * The server's reply to a command about one lock.
 *
 * @param number 0 for no, 1 for yes; for shared locks the number of holders
 * @param text the text after the number, such as {@code Lock Get Success: printer}
 */
public record LockdReply(long number, String text) {}
