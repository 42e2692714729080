package io.holdfast.cli.serve;

import java.security.Security;

/**
 * How long this process relies on a host name that was resolved. The Java default is 30 s, and 10 s
 * for a name that does not exist: too long for nodes that try to reach each other again.
 */
final class NameCache {
    private static final String FOUND_SECONDS = "5";
    private static final String NOT_FOUND_SECONDS = "1";

    private NameCache() {}

    /** Call before the first name is resolved. System properties of the JVM take precedence. */
    static void shorten() {
        Security.setProperty(
                "networkaddress.cache.ttl",
                System.getProperty("sun.net.inetaddr.ttl", FOUND_SECONDS));
        Security.setProperty(
                "networkaddress.cache.negative.ttl",
                System.getProperty("sun.net.inetaddr.negative.ttl", NOT_FOUND_SECONDS));
    }
}
