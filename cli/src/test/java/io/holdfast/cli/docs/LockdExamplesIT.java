package io.holdfast.cli.docs;

import org.junit.jupiter.api.DisplayName;

import java.util.List;

@DisplayName("The examples of docs/lockd.md")
class LockdExamplesIT extends PageExamples {
    LockdExamplesIT() {
        super(
                "lockd.md",
                List.of(
                        "serve",
                        "--listen",
                        "dflockd://127.0.0.1:6388",
                        "--listen",
                        "lockd://127.0.0.1:9999?allow-dump=true&enable-registry=true"));
    }
}
