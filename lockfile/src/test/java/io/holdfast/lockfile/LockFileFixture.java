package io.holdfast.lockfile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** An example of a lock file, with the expected result of reading it. */
record LockFileFixture(Map<?, ?> row) {
    static List<LockFileFixture> all() throws IOException {
        Map<?, ?> table = (Map<?, ?>) PlainJson.read(Files.readString(path("expected.json")));
        List<?> rows = (List<?>) table.get("fixtures");
        return rows.stream().map(row -> new LockFileFixture((Map<?, ?>) row)).toList();
    }

    /** The names of all example files, with or without a row in the table. */
    static List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(path("."))) {
            return files.map(it -> it.getFileName().toString())
                    .filter(it -> it.endsWith(".lock"))
                    .toList();
        }
    }

    private static Path path(String file) {
        try {
            return Path.of(LockFileFixture.class.getResource("/file-semaphore/").toURI())
                    .resolve(file);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    String file() {
        return (String) row.get("file");
    }

    byte[] bytes() {
        try {
            return Files.readAllBytes(path(file()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean is(String what) {
        return Boolean.TRUE.equals(row.get(what));
    }

    @Override
    public String toString() {
        return file() + ": " + row.get("why");
    }
}
