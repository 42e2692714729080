package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** All blocks of the tour are one example; tokens and times in it are samples. */
@DisplayName("The tour of the README")
@NeedsProgram(OutsideProgram.NC)
class TourIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String HEADING = "Two minutes with nc";
    private static final Pattern TOKEN = Pattern.compile("\\b[0-9a-f]{32}\\b");
    private static final Pattern SECONDS = Pattern.compile("(?<=_s\":)[0-9.]+");

    @Test
    void the_tour_shows_the_actual_output() throws Exception {
        ExamplePlayer.play(tour(), TIMEOUT);
    }

    private static Example tour() throws IOException {
        Page readme = Page.read(Path.of("..", "README.md"));
        List<Page.Block> blocks =
                readme.blocks().stream()
                        .filter(block -> block.heading().equals(HEADING))
                        .filter(block -> block.kind().equals("console"))
                        .toList();
        assertThat(blocks).isNotEmpty();
        List<String> tokens = new ArrayList<>();
        List<String> lines =
                blocks.stream()
                        .flatMap(block -> block.lines().stream())
                        .map(line -> withPlaceholders(line, tokens))
                        .toList();
        return Example.of(
                readme.name(), new Page.Block("console", HEADING, blocks.getFirst().line(), lines));
    }

    private static String withPlaceholders(String line, List<String> tokens) {
        String named =
                TOKEN.matcher(line).replaceAll((MatchResult found) -> name(found.group(), tokens));
        return SECONDS.matcher(named).replaceAll("SECONDS").replace("$ nc ", "$ nc -N ");
    }

    private static String name(String token, List<String> tokens) {
        if (!tokens.contains(token)) {
            tokens.add(token);
        }
        return "TOKEN" + (tokens.indexOf(token) + 1);
    }
}
