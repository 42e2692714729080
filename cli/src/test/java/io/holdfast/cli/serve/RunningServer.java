package io.holdfast.cli.serve;

import io.holdfast.server.HoldfastServer;
import io.holdfast.server.StartException;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in this process, started with the flags of {@code dflockd} on a port of its own. */
final class RunningServer implements AutoCloseable {
    private final HoldfastServer server;

    private RunningServer(HoldfastServer server) {
        this.server = server;
    }

    static RunningServer start(List<String> flags) throws GoFlags.FlagException, StartException {
        List<String> words = new ArrayList<>(List.of("--port", "0"));
        words.addAll(flags);
        return new RunningServer(
                HoldfastServer.start(
                        DflockdCommand.config(
                                GoFlags.parse(words, DflockdCommand::isSwitch), Map.of())));
    }

    InetSocketAddress address() {
        return server.addresses().getFirst();
    }

    @Override
    public void close() {
        server.close();
    }
}
