package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("The registry of connection names")
class ConnectionNameRegistryTest {
    private static final ByteString A = ByteString.of("a");
    private static final ByteString B = ByteString.of("b");

    private final ConnectionNameRegistry connectionNameRegistry = new ConnectionNameRegistry();

    private List<String> connections(ByteString name) {
        return connectionNameRegistry.list(name).stream()
                .map(ConnectionNameRegistry.Entry::connection)
                .toList();
    }

    @Test
    void the_registry_is_empty_at_first() {
        assertThat(connectionNameRegistry.nameOf(1)).isNull();
        assertThat(connectionNameRegistry.size()).isZero();
        assertThat(connectionNameRegistry.list(ByteString.EMPTY)).isEmpty();
        connectionNameRegistry.remove(1);
    }

    @Test
    void the_registry_lists_in_order_of_the_last_registration() {
        connectionNameRegistry.register(30, "first", A);
        connectionNameRegistry.register(20, "second", B);
        connectionNameRegistry.register(10, "third", A);
        assertThat(connections(ByteString.EMPTY)).containsExactly("first", "second", "third");
        connectionNameRegistry.register(30, "first", B);
        assertThat(connections(ByteString.EMPTY)).containsExactly("second", "third", "first");
        assertThat(connections(B)).containsExactly("second", "first");
        assertThat(connections(A)).containsExactly("third");
        assertThat(connectionNameRegistry.size()).isEqualTo(3);
    }

    @Test
    void the_registry_drops_only_the_removed_connection() {
        connectionNameRegistry.register(1, "one", A);
        connectionNameRegistry.register(2, "two", A);
        connectionNameRegistry.remove(1);
        connectionNameRegistry.remove(1);
        assertThat(connectionNameRegistry.nameOf(1)).isNull();
        assertThat(connectionNameRegistry.nameOf(2)).isEqualTo(A);
        assertThat(connections(A)).containsExactly("two");
    }
}
