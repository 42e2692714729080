package io.holdfast.lockfile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A lock file as a reader may find it, and the row that says what to make of it. */
record LockFileFixture(Map<?, ?> row) {
    static List<LockFileFixture> all() throws IOException {
        Map<?, ?> table = (Map<?, ?>) PlainJson.read(Files.readString(path("expected.json")));
        List<?> rows = (List<?>) table.get("fixtures");
        return rows.stream().map(row -> new LockFileFixture((Map<?, ?>) row)).toList();
    }

    /** The names of all files that there are, whether they have a row or not. */
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
