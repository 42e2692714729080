package io.holdfast.console.options;

/** A server to connect to, written {@code host:port} or {@code [ipv6]:port}. */
public record ServerAddress(String host, int port) {

    /** Throws {@link IllegalArgumentException} with a message for the user. */
    public static ServerAddress parse(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("a server address is empty");
        }
        if (text.contains("://")) {
            throw new IllegalArgumentException(
                    "server \"" + text + "\": give HOST:PORT, without a scheme");
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw notAnAddress(text);
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":")) {
            throw new IllegalArgumentException(
                    "server \"" + text + "\": an IPv6 address needs brackets, as in [::1]:6388");
        }
        if (host.isBlank() || !host.equals(host.strip())) {
            throw notAnAddress(text);
        }
        return new ServerAddress(host, parsePort(text, text.substring(colon + 1)));
    }

    private static int parsePort(String text, String port) {
        if (!port.matches("[0-9]{1,5}")) {
            throw notAnAddress(text);
        }
        int number = Integer.parseInt(port);
        if (number < 1 || number > 65535) {
            throw new IllegalArgumentException(
                    "server \"" + text + "\": the port must be 1 to 65535");
        }
        return number;
    }

    private static IllegalArgumentException notAnAddress(String text) {
        return new IllegalArgumentException("server \"" + text + "\" is not of the form host:port");
    }

    @Override
    public String toString() {
        return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
    }
}
