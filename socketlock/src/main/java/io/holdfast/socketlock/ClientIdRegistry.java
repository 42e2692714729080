package io.holdfast.socketlock;

/**
 * Counts the clients of this process per client id. The counts are system properties, because these
 * are shared by all class loaders.
 */
final class ClientIdRegistry {
    private static final String IN_USE = "io.holdfast.socketlock.client:";

    private ClientIdRegistry() {}

    static void enter(String id) {
        System.getProperties().merge(IN_USE + id, "1", (count, one) -> plus(count, 1));
    }

    static void leave(String id) {
        System.getProperties()
                .computeIfPresent(
                        IN_USE + id, (key, count) -> count.equals("1") ? null : plus(count, -1));
    }

    static boolean isAlone(String id) {
        return "1".equals(System.getProperty(IN_USE + id));
    }

    private static String plus(Object count, int more) {
        return Integer.toString(Integer.parseInt(count.toString()) + more);
    }
}
