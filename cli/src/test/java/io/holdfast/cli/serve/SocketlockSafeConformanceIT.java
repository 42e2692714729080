package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client that relies on guarantees which the original lacks")
class SocketlockSafeConformanceIT extends SocketlockConversations {
    SocketlockSafeConformanceIT() {
        super("socketlock-safe", 6);
    }
}
