package io.holdfast.cli.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Rows under a header. If the width is too small, columns are dropped in order of increasing
 * weight; the first column gets the remaining width.
 */
record TextTable(List<Column> columns, List<List<String>> rows) {
    /** The width for output to a file or a pipe. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    /** Maximum width of a column in a file or a pipe. */
    private static final int MAX_IN_FILES = 100;

    private static final int GAP = 2;
    private static final int MIN_FIRST_COLUMN = 12;

    /**
     * A column.
     *
     * @param max maximum width in cells
     * @param weight columns with a smaller weight are dropped first
     */
    record Column(String title, boolean right, int max, int weight) {}

    /** Escapes the cells, because their width is needed here; escaping is idempotent. */
    TextTable {
        rows = rows.stream().map(row -> row.stream().map(TerminalText::escaped).toList()).toList();
    }

    /** Returns the header and the rows, none wider than {@code width} cells. */
    List<String> lines(int width) {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = TerminalText.width(columns.get(i).title());
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], TerminalText.width(row.get(i)));
            }
            int max = width == UNLIMITED ? MAX_IN_FILES : columns.get(i).max();
            widths[i] = Math.min(widths[i], max);
        }
        List<Integer> shown = shown(widths, width);
        int others = shown.stream().skip(1).mapToInt(i -> widths[i] + GAP).sum();
        if (width != UNLIMITED) {
            widths[0] = Math.min(widths[0], Math.max(1, width - others));
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(columns.stream().map(Column::title).toList(), shown, widths));
        rows.forEach(row -> lines.add(line(row, shown, widths)));
        return lines;
    }

    private List<Integer> shown(int[] widths, int width) {
        List<Integer> shown = new ArrayList<>();
        for (int i = 0; i < widths.length; i++) {
            shown.add(i);
        }
        if (width == UNLIMITED) {
            return shown;
        }
        int first = Math.min(MIN_FIRST_COLUMN, widths[0]);
        while (shown.size() > 1
                && first + shown.stream().skip(1).mapToInt(i -> widths[i] + GAP).sum() > width) {
            Integer leastWeight =
                    shown.stream()
                            .skip(1)
                            .min(Comparator.comparingInt(i -> columns.get(i).weight()))
                            .orElseThrow();
            shown.removeIf(leastWeight::equals);
        }
        return shown;
    }

    private String line(List<String> cells, List<Integer> shown, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i : shown) {
            if (!line.isEmpty()) {
                line.append(" ".repeat(GAP));
            }
            line.append(TerminalText.fit(cells.get(i), widths[i], columns.get(i).right()));
        }
        return line.toString().stripTrailing();
    }
}
