package io.holdfast.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

@DisplayName("Names of modules")
class ModuleNamesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern MODULE_NAME =
            Pattern.compile("<module.name>([^<]+)</module.name>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]+)</artifactId>");

    private static List<String> all(Pattern pattern, Path pom) throws IOException {
        return pattern.matcher(Files.readString(pom))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    static List<Path> modulesWithCode() throws IOException {
        return all(MODULE, ROOT.resolve("pom.xml")).stream()
                .map(ROOT::resolve)
                .filter(module -> Files.isDirectory(module.resolve("src/main/java")))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("modulesWithCode")
    void the_automatic_module_name_is_a_package_of_the_module(Path module) throws IOException {
        List<String> names = all(MODULE_NAME, module.resolve("pom.xml"));
        assertThat(names).hasSize(1);
        String folder = names.getFirst().replace('.', '/');
        assertThat(module.resolve("src/main/java").resolve(folder)).isDirectory();
    }

    @ParameterizedTest
    @MethodSource("modulesWithCode")
    void the_name_of_the_artifact_begins_with_that_of_the_project(Path module) throws IOException {
        List<String> artifacts = all(ARTIFACT, module.resolve("pom.xml"));
        assertThat(artifacts.getFirst()).as("the parent").isEqualTo("holdfast");
        assertThat(artifacts.get(1)).startsWith("holdfast-");
    }
}
