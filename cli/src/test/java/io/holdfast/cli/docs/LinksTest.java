package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

@DisplayName("Links between pages")
class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONTRIBUTING.md",
                "README.md",
                "docs/a-request.md",
                "docs/architecture.md",
                "docs/client.md",
                "docs/dflockd.md",
                "docs/http.md",
                "docs/lock-command.md",
                "docs/lockd.md",
                "docs/lockfile.md",
                "docs/making-changes.md",
                "docs/moving-from-dflockd.md",
                "docs/recipes.md",
                "docs/socketlock.md",
                "docs/tagged.md",
                "docs/threads-and-locks.md",
                "docs/top.md",
                "examples/README.md"
            })
    void every_link_leads_to_an_existing_file_and_heading(String name) throws IOException {
        Path file = Path.of("..").resolve(name);
        List<MatchResult> links = LINK.matcher(Files.readString(file)).results().toList();
        assertThat(links).isNotEmpty();
        for (MatchResult link : links) {
            Path target = link.group(1).isEmpty() ? file : file.resolveSibling(link.group(1));
            assertThat(target).exists();
            if (link.group(2) != null) {
                assertThat(anchors(target)).as("in %s", target).contains(link.group(2));
            }
        }
    }

    private static List<String> anchors(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.matches("#+ .*"))
                .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .toList();
    }
}
