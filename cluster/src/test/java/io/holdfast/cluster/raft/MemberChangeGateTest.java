package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;

@DisplayName("A change of the member list")
class MemberChangeGateTest {
    private final MemberChangeGate gate = new MemberChangeGate();

    @Test
    void is_refused_while_the_version_of_the_cluster_is_being_raised() {
        assertThat(gate.hold()).isTrue();
        CompletableFuture<String> change =
                gate.change(
                        () -> {
                            throw new AssertionError("not stopped");
                        });
        assertThat(change).isCompletedExceptionally();
        gate.release();
        assertThat(gate.change(() -> CompletableFuture.completedFuture("done")))
                .isCompletedWithValue("done");
    }

    @Test
    void keeps_the_version_from_being_raised_until_it_has_ended() {
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> change = gate.change(() -> end);
        assertThat(gate.hold()).isFalse();
        end.complete("done");
        assertThat(change).isCompletedWithValue("done");
        assertThat(gate.hold()).isTrue();
    }

    @Test
    void that_fails_has_ended() {
        CompletableFuture<String> change =
                gate.change(
                        () -> {
                            throw new IllegalStateException("not the leader");
                        });
        assertThat(change).isCompletedExceptionally();
        assertThat(gate.hold()).isTrue();
    }
}
