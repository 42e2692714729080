package io.holdfast.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.stream.IntStream;

@DisplayName("A line about a refused connection")
class RefusedConnectionsTest {
    private static final long LATER = Duration.ofMinutes(10).toNanos();

    private final RefusedConnections refused = new RefusedConnections();

    /** Returns how many of a thousand different lines are logged. */
    private long logged(int from, long now) {
        return IntStream.range(from, from + 1000)
                .filter(node -> refused.isDue("node " + node, now))
                .count();
    }

    @Test
    void is_logged_again_after_ten_minutes() {
        assertThat(refused.isDue("a", 0)).isTrue();
        assertThat(refused.isDue("a", LATER - 1)).isFalse();
        assertThat(refused.isDue("b", LATER - 1)).isTrue();
        assertThat(refused.isDue("a", LATER)).isTrue();
    }

    @Test
    void is_not_logged_if_there_were_too_many_others() {
        assertThat(logged(0, 1)).isEqualTo(RefusedConnections.MAX_LINES);
        assertThat(logged(1000, 2)).isZero();
        assertThat(logged(2000, 1 + LATER)).isEqualTo(RefusedConnections.MAX_LINES);
    }

    @Test
    void counts_every_connection() {
        IntStream.range(0, 300).forEach(node -> refused.incoming("n" + node, "not a member"));
        assertThat(refused.count()).isEqualTo(300);
    }
}
