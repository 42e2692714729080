package io.holdfast.cli.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A page of the documentation. */
record Page(String name, List<String> lines) {
    private static final String FENCE = "```";

    /**
     * A fenced code block.
     *
     * @param kind the word after the first fence, or empty
     * @param line number of the first line in the block
     */
    record Block(String kind, String heading, int line, List<String> lines) {}

    static Page read(Path file) throws IOException {
        return new Page(String.valueOf(file.getFileName()), Files.readAllLines(file));
    }

    String text() {
        return String.join("\n", lines);
    }

    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        String heading = name;
        int i = 0;
        while (i < lines.size()) {
            String line = lines.get(i++);
            if (line.startsWith("#")) {
                heading = line.replaceFirst("^#+ *", "");
            }
            if (line.startsWith(FENCE)) {
                int first = i;
                while (!lines.get(i).equals(FENCE)) { // throws if the block has no end
                    i++;
                }
                blocks.add(
                        new Block(
                                line.substring(FENCE.length()),
                                heading,
                                first + 1,
                                List.copyOf(lines.subList(first, i))));
                i++;
            }
        }
        return blocks;
    }

    /**
     * Returns the rows of all tables below a heading, up to the next heading, with stripped cells.
     */
    List<List<String>> rows(String heading) {
        List<List<String>> rows = new ArrayList<>();
        String now = name;
        boolean inTable = false;
        boolean inBlock = false;
        for (String line : lines) {
            if (line.startsWith(FENCE)) {
                inBlock = !inBlock;
            }
            if (line.startsWith("#") && !inBlock) {
                now = line.replaceFirst("^#+ *", "");
            }
            if (line.startsWith("|---")) {
                inTable = true;
            } else if (!line.startsWith("|")) {
                inTable = false;
            } else if (inTable && now.equals(heading)) {
                String[] cells =
                        line.split("(?<!\\\\)\\|", -1); // an escaped bar belongs to the text
                rows.add(Stream.of(cells).skip(1).map(String::strip).toList());
            }
        }
        return rows;
    }

    List<Example> examples() {
        return blocks().stream()
                .filter(block -> block.kind().equals("console"))
                .map(block -> Example.of(name, block))
                .toList();
    }
}
