package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client that chooses its own id")
class SocketlockSeedConformanceIT extends SocketlockConversations {
    SocketlockSeedConformanceIT() {
        super("socketlock-seed", 4);
    }
}
