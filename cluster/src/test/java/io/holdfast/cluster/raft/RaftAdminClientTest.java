package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.apache.ratis.client.RaftClient;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

@DisplayName("The client for administration")
class RaftAdminClientTest {
    @Test
    void the_executor_of_a_server_that_has_stopped_shows_that_the_node_was_removed() {
        ExecutorService stopped = Executors.newFixedThreadPool(1);
        stopped.shutdown();
        Throwable rejection = catchThrowable(() -> stopped.execute(() -> {}));
        assertThat(rejection).isInstanceOf(RejectedExecutionException.class);
        var received = new IOException(rejection.getMessage()); // without the type, as by RPC
        assertThat(RaftAdminClient.reason(received))
                .isEqualTo("it is no longer a member of the cluster");
    }

    @Test
    void the_reason_of_any_other_failure_is_that_of_its_cause() {
        var failure = new IOException("failed", new IOException("the proposal was rejected"));
        assertThat(RaftAdminClient.reason(failure)).isEqualTo("the proposal was rejected");
        assertThat(RaftAdminClient.reason(null)).isEqualTo("no reason given");
    }

    @Test
    void a_client_that_cannot_be_built_is_a_failed_request() {
        Supplier<RaftClient> builder =
                () -> {
                    throw new UncheckedIOException(new IOException("bad peer"));
                };
        assertThatThrownBy(() -> RaftAdminClient.send(builder, _ -> "unused"))
                .isInstanceOf(IOException.class)
                .hasMessage("bad peer");
    }
}
