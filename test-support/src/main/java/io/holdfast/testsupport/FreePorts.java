package io.holdfast.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ports for servers that a test restarts on the same port. They are below the range from which
 * systems take the ports of outgoing connections, so no other test gets one of them by chance.
 */
public final class FreePorts {
    private static final int FIRST = 10_000;
    private static final int COUNT = 20_000;
    private static final Random RANDOM = new Random();
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** Returns a port of the loopback address at which nothing listens, each time another one. */
    public static int next() {
        while (true) {
            int port = FIRST + RANDOM.nextInt(COUNT);
            if (GIVEN.add(port) && isFree(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
