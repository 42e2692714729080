package io.holdfast.cli.serve.toy;

import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.ListenerOptions;
import io.holdfast.server.listener.OptionReader;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.ServerProtocol;

import java.nio.file.Path;
import java.util.List;

/** What is registered. */
public final class ToyProtocol implements ServerProtocol {
    @Override
    public String name() {
        return "toy";
    }

    @Override
    public List<ListenScheme> schemes() {
        return List.of(
                ListenScheme.tcp(this, "toy", false, 7777),
                ListenScheme.tcp(this, "toys", true, 7777),
                new ListenScheme(
                        this,
                        "toy+unix",
                        false,
                        new ListenAddress.Unix(Path.of("/run/toy"), null)));
    }

    @Override
    public ListenerOptions options(OptionReader given) {
        String end = given.text("end");
        if (end != null && end.length() > 1) {
            throw given.invalid("has end=" + end + ": one character");
        }
        return new ToyOptions(given.namespace(), end == null ? "" : end);
    }

    @Override
    public RunningProtocol start(ServerContext server) {
        return new ToyService(server);
    }
}
