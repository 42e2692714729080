package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client that needs what the original did not keep")
class SocketlockSafeConformanceTest extends SocketlockConversations {
    SocketlockSafeConformanceTest() {
        super("socketlock-safe", 6);
    }
}
