package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client")
class SocketlockConformanceIT extends SocketlockConversations {
    SocketlockConformanceIT() {
        super("socketlock", 33);
    }
}
