package io.holdfast.driver.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientInfo;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicReference;

@DisplayName("Recently closed sessions")
class RecentlyClosedSessionsTest {
    private final RecentlyClosedSessions recentlyClosedSessions = new RecentlyClosedSessions();

    @Test
    void closed_sessions_keep_the_name_they_had() {
        AtomicReference<String> name = new AtomicReference<>("127.0.0.1:4711");
        recentlyClosedSessions.add(7, new ClientInfo("dflockd", name::get));
        name.set("nobody");
        ClientInfo known = recentlyClosedSessions.get(7);
        assertThat(known).isNotNull();
        assertThat(known.protocol()).isEqualTo("dflockd");
        assertThat(known.name().get()).isEqualTo("127.0.0.1:4711");
    }

    @Test
    void closed_sessions_are_dropped_when_enough_others_have_closed_since() {
        for (long session = 1; session <= RecentlyClosedSessions.MAX_SESSIONS + 1; session++) {
            recentlyClosedSessions.add(session, new ClientInfo("http", () -> "somebody"));
        }
        assertThat(recentlyClosedSessions.get(1)).isNull();
        assertThat(recentlyClosedSessions.get(2)).isNotNull();
    }

    @Test
    void the_monitor_finds_closed_sessions_like_open_ones() {
        ServerMonitor serverMonitor = new ServerMonitor(1, System::nanoTime);
        ClientInfo clientInfo = new ClientInfo("lockd", () -> "unix:1");
        serverMonitor.onSessionOpened(3, clientInfo);
        assertThat(serverMonitor.peerOf(3)).isSameAs(clientInfo);
        serverMonitor.onSessionClosed(3, clientInfo);
        ClientInfo known = serverMonitor.peerOf(3);
        assertThat(known).isNotNull();
        assertThat(known.name().get()).isEqualTo("unix:1");
        assertThat(serverMonitor.peerOf(4)).isNull();
    }
}
