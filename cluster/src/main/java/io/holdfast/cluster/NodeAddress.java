package io.holdfast.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A node by its name, which is never used for another, and where the other nodes reach it. */
public record NodeAddress(String name, String host, int port) {
    /** What a node that stands alone is called, if nobody names it. */
    public static final String ALONE = "standalone";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");

    /** The host of an IPv6 address is in brackets. */
    private static final Pattern WRITTEN =
            Pattern.compile("([^=]*)=(?:\\[([0-9A-Fa-f:.%]+)]|([^\\s:=\\[\\]/]+)):([0-9]{1,5})");

    public NodeAddress {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a node name has letters, digits, '_', '.' and '-' only, and 63 of them at"
                            + " most (got "
                            + name
                            + ")");
        }
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("a port is 1-65535 (got " + port + ")");
        }
    }

    /** A node that stands alone: nobody reaches it. */
    public static NodeAddress alone(String name) {
        return new NodeAddress(name, "127.0.0.1", 0);
    }

    /**
     * Reads {@code NAME=HOST:PORT}.
     *
     * @throws IllegalArgumentException if it is something else; the message can be shown
     */
    public static NodeAddress parse(String text) {
        Matcher parts = WRITTEN.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "a node is written NAME=HOST:PORT, as in n1=10.0.0.1:6400 (got " + text + ")");
        }
        int port = Integer.parseInt(parts.group(4));
        if (port == 0) {
            throw new IllegalArgumentException("a port is 1-65535 (got 0 in " + text + ")");
        }
        String host = parts.group(2) == null ? parts.group(3) : parts.group(2);
        return new NodeAddress(parts.group(1), host, port);
    }

    /**
     * Reads several, with commas or blanks between them.
     *
     * @throws IllegalArgumentException if one cannot be read, or there is none
     */
    public static List<NodeAddress> parseList(String text) {
        List<NodeAddress> nodes = new ArrayList<>();
        for (String node : text.strip().split("[,\\s]+", -1)) {
            nodes.add(parse(node));
        }
        return nodes;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name + "=" + address();
    }

    public String address() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
