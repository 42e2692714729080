package io.holdfast.cli.serve;

import org.junit.jupiter.api.DisplayName;

@DisplayName("A socketlock client")
class SocketlockConformanceTest extends SocketlockConversations {
    SocketlockConformanceTest() {
        super("socketlock", 33);
    }
}
