package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client that names itself")
class SocketlockSeedConformanceTest extends SocketlockConversations {
    SocketlockSeedConformanceTest() {
        super("socketlock-seed", 4);
    }
}
