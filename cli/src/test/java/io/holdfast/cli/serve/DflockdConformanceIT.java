package io.holdfast.cli.serve;

import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.DisplayName;

import java.util.List;

@DisplayName("A dflockd client")
class DflockdConformanceIT extends RecordedConversations {
    DflockdConformanceIT() {
        super("dflockd", 40);
    }

    @Override
    RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        return RunningServer.start(flags, driverChoice);
    }
}
