import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * Prints one line about the tests that a build has skipped: {@code SkippedTests.java ROOT START}.
 * It reads the reports that Surefire and Failsafe have written since START.
 */
final class SkippedTests {
    /** The reason given by {@code NeedsProgram}. */
    private static final Pattern NEEDS = Pattern.compile("needs ([a-z0-9]+( and [a-z0-9]+)*)$");

    public static void main(String[] args) throws Exception {
        Instant start = Instant.parse(args[1]);
        List<Path> reports = new ArrayList<>();
        for (Path report : reports(Path.of(args[0]))) {
            if (!Files.getLastModifiedTime(report).toInstant().isBefore(start)) {
                reports.add(report); // not of an earlier build
            }
        }
        if (!reports.isEmpty()) {
            System.out.println(summary(reasons(reports)));
        }
    }

    /** Why each skipped test was skipped. */
    private static List<String> reasons(List<Path> reports)
            throws IOException, ParserConfigurationException, SAXException {
        List<String> reasons = new ArrayList<>();
        var parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        for (Path report : reports) {
            NodeList skipped = parser.parse(report.toFile()).getElementsByTagName("skipped");
            for (int i = 0; i < skipped.getLength(); i++) {
                reasons.add(reason((Element) skipped.item(i)));
            }
        }
        return reasons;
    }

    /** A condition gives a message, a failed assumption a stack trace. */
    private static String reason(Element skipped) {
        String message = skipped.getAttribute("message");
        return message.isBlank()
                ? skipped.getTextContent()
                        .lines()
                        .findFirst()
                        .orElse("")
                        .replaceFirst("\\S+: (Assumption failed: )?", "")
                : message;
    }

    private static List<Path> reports(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path parent : List.of(root, root.resolve("adapters"))) {
            try (Stream<Path> modules = Files.list(parent)) {
                for (Path module : modules.toList()) {
                    for (String kind : List.of("surefire-reports", "failsafe-reports")) {
                        Path folder = module.resolve("target").resolve(kind);
                        if (Files.isDirectory(folder)) {
                            try (Stream<Path> files = Files.list(folder)) {
                                files.filter(SkippedTests::isReport).forEach(found::add);
                            }
                        }
                    }
                }
            }
        }
        return found;
    }

    private static boolean isReport(Path file) {
        return file.getFileName().toString().matches("TEST-.*\\.xml");
    }

    private static String summary(List<String> reasons) {
        Map<String, Integer> programs = new TreeMap<>();
        Map<String, Integer> others = new TreeMap<>();
        for (String reason : reasons) {
            Matcher needs = NEEDS.matcher(reason);
            if (needs.find()) {
                programs.merge(needs.group(1), 1, Integer::sum);
            } else {
                others.merge(reason.isBlank() ? "no reason given" : reason, 1, Integer::sum);
            }
        }
        List<String> parts = new ArrayList<>();
        programs.forEach((program, n) -> parts.add(tests(n, parts) + verb(n) + program));
        if (!others.isEmpty()) {
            int count = others.values().stream().mapToInt(Integer::intValue).sum();
            String why =
                    others.entrySet().stream()
                            .map(e -> e.getKey() + (e.getValue() > 1 ? " x" + e.getValue() : ""))
                            .collect(Collectors.joining("; "));
            parts.add(tests(count, parts) + " for other reasons (" + why + ")");
        }
        return "skipped: " + (parts.isEmpty() ? "no tests" : String.join(", ", parts));
    }

    /** Appends "test" or "tests" to the first number only. */
    private static String tests(int count, List<String> before) {
        return count + (before.isEmpty() ? count == 1 ? " test" : " tests" : "");
    }

    private static String verb(int count) {
        return count == 1 ? " needs " : " need ";
    }
}
