package io.holdfast.cli.docs;

import org.junit.jupiter.api.DisplayName;

import java.util.List;

@DisplayName("The examples of docs/dflockd.md")
class DflockdExamplesIT extends PageExamples {
    DflockdExamplesIT() {
        super("dflockd.md", List.of("serve"));
    }
}
