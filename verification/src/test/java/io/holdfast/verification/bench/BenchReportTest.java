package io.holdfast.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Locale;

@DisplayName("The bench report")
class BenchReportTest {
    private final Locale usual = Locale.getDefault();

    @BeforeEach
    void speak_a_language_with_a_decimal_comma() {
        Locale.setDefault(Locale.GERMANY);
    }

    @AfterEach
    void speak_the_usual_language() {
        Locale.setDefault(usual);
    }

    private static BenchReport report() {
        var nanos = new long[] {1_000_000, 2_000_000, 3_000_000, 4_000_000};
        return new BenchReport(
                TestBenchOptions.options(2, 2, "bench", false), 41_000_000, new Latencies(nanos));
    }

    @Test
    void the_report_begins_with_a_header_line() {
        assertThat(BenchReport.header(TestBenchOptions.options(4, 100, "bench", false)))
                .isEqualTo("bench: 4 workers x 100 rounds (key_prefix=\"bench\", conns/worker=1)");
    }

    @Test
    void the_header_shows_a_shared_key() {
        assertThat(BenchReport.header(TestBenchOptions.options(4, 100, "a\"b", true)))
                .isEqualTo("bench: 4 workers x 100 rounds (shared_key=\"a\\\"b\", conns/worker=1)");
    }

    @Test
    void the_text_report_has_one_line_per_statistic() {
        assertThat(report().text().lines())
                .containsExactly(
                        "",
                        "  total ops : 4",
                        "  wall time : 0.041s",
                        "  throughput: 97.6 ops/s",
                        "",
                        "  mean      : 2.500 ms",
                        "  min       : 1.000 ms",
                        "  max       : 4.000 ms",
                        "  p50       : 2.500 ms",
                        "  p99       : 3.970 ms",
                        "  p99.9     : 3.997 ms",
                        "  stdev     : 1.291 ms");
    }

    @Test
    void the_json_report_is_one_object() {
        assertThat(report().json())
                .isEqualTo(
                        "{\"workers\":2,\"rounds\":2,\"warmup\":10,\"connections_per_worker\":1,"
                                + "\"key\":\"bench\",\"shared_key\":false,\"timeout_s\":30,"
                                + "\"lease_s\":10,\"servers\":[\"127.0.0.1:6388\",\"[::1]:6389\"],"
                                + "\"tls\":false,\"transport\":\"nio\",\"total_ops\":4,"
                                + "\"wall_time_s\":0.041000,\"throughput_ops_per_s\":97.6,"
                                + "\"mean_ms\":2.500000,\"min_ms\":1.000000,\"max_ms\":4.000000,"
                                + "\"p50_ms\":2.500000,\"p99_ms\":3.970000,\"p99_9_ms\":3.997000,"
                                + "\"stdev_ms\":1.290994}");
    }
}
