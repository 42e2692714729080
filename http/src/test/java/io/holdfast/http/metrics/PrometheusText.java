package io.holdfast.http.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict parser of the text format of Prometheus, version 0.0.4. */
final class PrometheusText {
    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final Pattern HELP = Pattern.compile("# HELP (" + NAME + ") (.+)");
    private static final Pattern TYPE =
            Pattern.compile("# TYPE (" + NAME + ") (counter|gauge|histogram|summary|untyped)");
    private static final Pattern SAMPLE =
            Pattern.compile("(" + NAME + ")(\\{(.*)})? ([-+0-9.eE]+|NaN|[+-]Inf)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\"\\\\n])*)\"(,|$)");
    private static final List<String> SUFFIXES = List.of("_bucket", "_sum", "_count");

    /** A sample. */
    record Series(String name, Map<String, String> labels) {}

    private final Map<String, String> types = new LinkedHashMap<>();
    private final Set<String> helped = new LinkedHashSet<>();
    private final Map<Series, Double> samples = new LinkedHashMap<>();

    private PrometheusText() {}

    static PrometheusText parse(String text) {
        PrometheusText parsed = new PrometheusText();
        if (!text.endsWith("\n")) {
            throw new AssertionError("no line feed at the end");
        }
        text.lines().forEach(parsed::line);
        parsed.checkHistograms();
        return parsed;
    }

    private void line(String line) {
        Matcher help = HELP.matcher(line);
        Matcher type = TYPE.matcher(line);
        Matcher sample = SAMPLE.matcher(line);
        if (help.matches()) {
            if (!helped.add(help.group(1))) {
                throw new AssertionError("a second help: " + line);
            }
        } else if (type.matches()) {
            if (types.put(type.group(1), type.group(2)) != null) {
                throw new AssertionError("a second type: " + line);
            }
        } else if (sample.matches()) {
            sample(line, sample);
        } else {
            throw new AssertionError("neither help, type nor sample: " + line);
        }
    }

    private void sample(String line, Matcher sample) {
        String family = familyOf(sample.group(1));
        if (!helped.contains(family) || !types.containsKey(family)) {
            throw new AssertionError("no help or type before " + line);
        }
        Series series = new Series(sample.group(1), labels(line, sample.group(3)));
        if (samples.put(series, number(sample.group(4))) != null) {
            throw new AssertionError("the same series twice: " + line);
        }
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private String familyOf(String name) {
        for (String suffix : SUFFIXES) {
            String base =
                    name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : "";
            String type = types.getOrDefault(base, "");
            if (type.equals("histogram") || (type.equals("summary") && !suffix.equals("_bucket"))) {
                return base;
            }
        }
        return name;
    }

    private static Map<String, String> labels(String line, String text) {
        Map<String, String> labels = new TreeMap<>();
        if (text == null) {
            return labels;
        }
        Matcher label = LABEL.matcher(text);
        int end = 0;
        while (end < text.length() && label.find(end) && label.start() == end) {
            if (labels.put(label.group(1), label.group(2)) != null) {
                throw new AssertionError("the same label twice: " + line);
            }
            end = label.end();
        }
        if (end != text.length()) {
            throw new AssertionError("bad labels: " + line);
        }
        return labels;
    }

    /** Checks that buckets are cumulative and the last one has the total. */
    private void checkHistograms() {
        Map<Series, List<Double>> buckets = new HashMap<>();
        samples.forEach(
                (series, value) -> {
                    String family = familyOf(series.name());
                    if (series.name().equals(family + "_bucket")
                            && "histogram".equals(types.get(family))) {
                        Map<String, String> labels = new TreeMap<>(series.labels());
                        if (labels.remove("le") == null) {
                            throw new AssertionError("a bucket without bound: " + series);
                        }
                        buckets.computeIfAbsent(new Series(family, labels), _ -> new ArrayList<>())
                                .add(value);
                    }
                });
        buckets.forEach(
                (histogram, counts) -> {
                    if (!counts.equals(counts.stream().sorted().toList())) {
                        throw new AssertionError("buckets that shrink: " + histogram);
                    }
                    double count = value(histogram.name() + "_count", histogram.labels());
                    if (counts.getLast() != count) {
                        throw new AssertionError("the last bucket has not all: " + histogram);
                    }
                });
    }

    /** The metric families, with their types. */
    Map<String, String> types() {
        return types;
    }

    /** The names of all samples. */
    Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        samples.keySet().forEach(series -> names.add(series.name()));
        return names;
    }

    Map<Series, Double> samples() {
        return samples;
    }

    private double value(String name, Map<String, String> labels) {
        Double value = samples.get(new Series(name, labels));
        if (value == null) {
            throw new AssertionError("there is no " + name + labels + " among " + names());
        }
        return value;
    }

    /** The value of a sample, whose labels are given as name, value, name, value. */
    double value(String name, String... labels) {
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i < labels.length; i += 2) {
            map.put(labels[i], labels[i + 1]);
        }
        return value(name, map);
    }
}
