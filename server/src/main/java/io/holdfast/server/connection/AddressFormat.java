package io.holdfast.server.connection;

import io.netty.util.NetUtil;

import java.net.InetSocketAddress;

/** Addresses as others are shown them. */
public final class AddressFormat {
    private AddressFormat() {}

    /** ADDRESS:PORT, with brackets around an IPv6 address in its short form. */
    public static String of(InetSocketAddress address) {
        return join(NetUtil.toAddressString(address.getAddress()), address.getPort());
    }

    /** HOST:PORT, with brackets around an IPv6 address. */
    public static String join(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
