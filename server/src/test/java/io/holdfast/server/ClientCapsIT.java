package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientLimits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code ClientCapsTest} in the module driver has the rules. */
@DisplayName("A connection with limits of its own")
class ClientCapsIT {
    private final TestServer server =
            TestServer.start(new TestConfig().perClient(new ClientLimits(3, 2, 1)));
    private final TestClient alice = server.connect();
    private final TestClient bob = server.connect();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_connection_beyond_its_own_limits_gets_the_refusals_of_dflockd_and_others_do_not() {
        for (int i = 0; i < 3; i++) {
            alice.acquire("a" + i);
            bob.acquire("b" + i);
        }
        assertThat(alice.request("l", "a3", "0")).isEqualTo("error_max_locks");
        assertThat(alice.request("e", "b0", "")).isEqualTo("queued");
        assertThat(alice.request("e", "b1", "")).isEqualTo("queued");
        assertThat(alice.request("e", "b2", "")).isEqualTo("error_max_waiters");
        assertThat(alice.request("kset", "v0", "x")).isEqualTo("ok");
        assertThat(alice.request("incr", "v1", "1")).isEqualTo("error_max_keys");
        assertThat(bob.request("incr", "v1", "1")).isEqualTo("ok 1");
        assertThat(alice.request("incr", "v1", "1")).as("one that exists").isEqualTo("ok 2");
        server.connect().acquire("a3");
    }
}
