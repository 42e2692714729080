package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client that needs what the original did not keep")
class SocketlockSafeConformanceIT extends SocketlockConversations {
    SocketlockSafeConformanceIT() {
        super("socketlock-safe", 6);
    }
}
