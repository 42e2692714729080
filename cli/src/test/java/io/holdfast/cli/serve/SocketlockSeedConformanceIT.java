package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client that names itself")
class SocketlockSeedConformanceIT extends SocketlockConversations {
    SocketlockSeedConformanceIT() {
        super("socketlock-seed", 4);
    }
}
