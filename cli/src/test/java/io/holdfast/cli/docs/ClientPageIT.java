package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

@DisplayName("The examples of docs/client.md")
class ClientPageIT {
    @TempDir private Path folder;

    @TestFactory
    Stream<DynamicTest> run() throws IOException {
        List<Page.Block> blocks =
                Page.read(Path.of("..", "docs", "client.md")).blocks().stream()
                        .filter(block -> block.kind().equals("java"))
                        .toList();
        assertThat(blocks).hasSizeGreaterThan(8);
        return blocks.stream()
                .map(
                        block ->
                                dynamicTest(
                                        block.heading() + ", line " + block.line(),
                                        () ->
                                                new ClientExample(
                                                                "client.md:" + block.line(),
                                                                block.lines(),
                                                                List.of())
                                                        .run(folder)));
    }
}
