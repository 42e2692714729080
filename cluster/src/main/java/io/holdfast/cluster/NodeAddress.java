package io.holdfast.cluster;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a node, which no other member of its cluster has, and the address at which the other
 * nodes connect to it.
 */
public record NodeAddress(String name, String host, int port) {
    /** The default name of a standalone node. */
    public static final String ALONE = "standalone";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");

    /** An IPv6 address is written in brackets. */
    private static final Pattern SYNTAX =
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

    /** Returns the address of a standalone node, to which no node connects. */
    public static NodeAddress alone(String name) {
        return new NodeAddress(name, "127.0.0.1", 0);
    }

    /**
     * Parses {@code NAME=HOST:PORT}.
     *
     * @throws IllegalArgumentException if the text has another form; the message can be shown to a
     *     user
     */
    public static NodeAddress parse(String text) {
        Matcher parts = SYNTAX.matcher(text);
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
     * Parses a list with commas or whitespace between the nodes.
     *
     * @throws IllegalArgumentException if one is malformed or the list is empty
     */
    public static List<NodeAddress> parseList(String text) {
        List<NodeAddress> nodes = new ArrayList<>();
        for (String node : text.strip().split("[,\\s]+", -1)) {
            nodes.add(parse(node));
        }
        return nodes;
    }

    void write(DataOutput out) throws IOException {
        out.writeUTF(name);
        out.writeUTF(host);
        out.writeShort(port);
    }

    static NodeAddress read(DataInput in) throws IOException {
        return new NodeAddress(in.readUTF(), in.readUTF(), in.readUnsignedShort());
    }

    /** The form of the command line: {@code NAME=HOST:PORT}. */
    @Override
    public String toString() {
        return name + "=" + address();
    }

    public String address() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
