package io.holdfast.server.connection;

import io.netty.util.NetUtil;

import java.net.InetSocketAddress;

/** Formats addresses for output. */
public final class AddressFormat {
    private AddressFormat() {}

    /** Returns ADDRESS:PORT, with brackets around an IPv6 address in its short form. */
    public static String of(InetSocketAddress address) {
        return join(NetUtil.toAddressString(address.getAddress()), address.getPort());
    }

    /** Returns HOST:PORT, with brackets around an IPv6 address. */
    public static String join(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
