package io.holdfast.lockd;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The address of the server.
 *
 * @param text the address as shown in messages
 * @param address possibly with an unresolved host name
 */
record LockdServerAddress(String text, SocketAddress address) {
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(?:([A-Za-z0-9_.-]+):)?([0-9]{1,5})");
    private static final int LAST_PORT = 65535;

    static LockdServerAddress parse(String text) {
        Matcher matcher = HOST_AND_PORT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("Invalid [host:]port string: " + text);
        }
        int port = Integer.parseInt(matcher.group(2));
        if (port == 0) {
            throw new IllegalArgumentException("Port 0 is not valid.");
        }
        if (port > LAST_PORT) {
            throw new IllegalArgumentException("Invalid [host:]port string: " + text);
        }
        String host = matcher.group(1);
        return of(
                host == null
                        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
                        : InetSocketAddress.createUnresolved(host, port));
    }

    static LockdServerAddress of(Path socket) {
        return of(UnixDomainSocketAddress.of(socket));
    }

    static LockdServerAddress of(SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            String host = inet.getHostString();
            String shown = host.indexOf(':') < 0 ? host : "[" + host + "]";
            return new LockdServerAddress(shown + ":" + inet.getPort(), address);
        }
        return new LockdServerAddress(address.toString(), address);
    }

    boolean isUnix() {
        return address instanceof UnixDomainSocketAddress;
    }

    boolean needsLookup() {
        return address instanceof InetSocketAddress inet && inet.isUnresolved();
    }

    /** The addresses to try, in order. Blocks for the system's resolver. */
    List<SocketAddress> lookUp() throws UnknownHostException {
        if (!needsLookup()) {
            return List.of(address);
        }
        var inet = (InetSocketAddress) address;
        return Stream.of(InetAddress.getAllByName(inet.getHostString()))
                .<SocketAddress>map(found -> new InetSocketAddress(found, inet.getPort()))
                .toList();
    }
}
