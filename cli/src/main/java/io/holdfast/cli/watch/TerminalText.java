package io.holdfast.cli.watch;

/** Measures, cuts and escapes text for a terminal. */
final class TerminalText {
    private static final String CUT = "…";

    private TerminalText() {}

    /**
     * Escapes characters that could control a terminal. Every line passes through this before it is
     * shown, since much of it comes from clients.
     */
    static String escaped(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints()
                .forEach(
                        c -> {
                            if (needsEscape(c)) {
                                out.append(String.format(c > 0xffff ? "\\u{%x}" : "\\u%04x", c));
                            } else {
                                out.appendCodePoint(c);
                            }
                        });
        return out.toString();
    }

    private static boolean needsEscape(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED ->
                    true;
            default -> false;
        };
    }

    static int width(String text) {
        return text.codePoints().map(TerminalText::width).sum();
    }

    private static int width(int c) {
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        return isWide(c) ? 2 : 1;
    }

    /** Whether this is an East Asian character or a pictograph. */
    private static boolean isWide(int c) {
        return (c >= 0x1100 && c <= 0x115f)
                || (c >= 0x2e80 && c <= 0xa4cf)
                || (c >= 0xac00 && c <= 0xd7a3)
                || (c >= 0xf900 && c <= 0xfaff)
                || (c >= 0xfe30 && c <= 0xfe6f)
                || (c >= 0xff00 && c <= 0xff60)
                || (c >= 0xffe0 && c <= 0xffe6)
                || (c >= 0x1f300 && c <= 0x1faff)
                || (c >= 0x20000 && c <= 0x3fffd);
    }

    /** Cuts the text to a maximum width in cells, with a mark if something was cut. */
    static String cut(String text, int max) {
        if (width(text) <= max) {
            return text;
        }
        StringBuilder out = new StringBuilder();
        int used = 0;
        int at = 0;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            if (used + width(c) > max - 1) {
                break;
            }
            used += width(c);
            out.appendCodePoint(c);
            at += Character.charCount(c);
        }
        return max < 1 ? "" : out + CUT;
    }

    /** Cuts or pads the text to an exact width in cells. */
    static String fit(String text, int width, boolean right) {
        String cut = cut(text, width);
        String padding = " ".repeat(width - width(cut));
        return right ? padding + cut : cut + padding;
    }
}
