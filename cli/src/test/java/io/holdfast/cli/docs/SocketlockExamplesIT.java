package io.holdfast.cli.docs;

import org.junit.jupiter.api.DisplayName;

import java.util.List;

@DisplayName("The examples of docs/socketlock.md")
class SocketlockExamplesIT extends PageExamples {
    SocketlockExamplesIT() {
        super("socketlock.md", List.of("socketlockd", "-socket", "/tmp/locks.sock"));
    }
}
