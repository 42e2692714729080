package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.driver.Secret;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Map;

@DisplayName("A reload")
class SecretAndCertificateReloadIT {
    private static final ServerSecrets NEXT =
            new ServerSecrets(new Secret("new-secret".getBytes(UTF_8)), null);

    private HoldfastServer server;

    @BeforeEach
    void start() throws Exception {
        List<String> flags = List.of("--port", "0", "--auth-token", "old-secret");
        ServerPlan plan =
                DflockdCommand.plan(GoFlags.parse(flags, DflockdCommand::isSwitch), Map.of());
        server = HoldfastServer.start(plan.server());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private String auth(String secret) throws IOException {
        try (var client = new LineClient(server.addresses().getFirst().getPort())) {
            return client.request("auth", "", secret);
        }
    }

    private void reload(SecretAndCertificateReload.@Nullable Http http) {
        new SecretAndCertificateReload(() -> NEXT, server, http).run();
    }

    @Test
    void a_reload_that_http_rejects_changes_nothing() throws Exception {
        reload(
                (_, _) -> {
                    throw new StartException("invalid");
                });
        assertThat(auth("old-secret")).isEqualTo("ok");
        reload(
                (_, _) -> {
                    throw new IllegalStateException("closed");
                });
        assertThat(auth("old-secret")).isEqualTo("ok");
        reload((_, _) -> {});
        assertThat(auth("new-secret")).isEqualTo("ok");
    }
}
