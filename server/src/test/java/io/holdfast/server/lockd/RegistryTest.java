package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("The registry")
class RegistryTest {
    private static final ByteString A = ByteString.of("a");
    private static final ByteString B = ByteString.of("b");

    private final Registry registry = new Registry();

    private List<String> connections(ByteString name) {
        return registry.list(name).stream().map(Registry.Entry::connection).toList();
    }

    @Test
    void knows_nobody_at_first() {
        assertThat(registry.nameOf(1)).isNull();
        assertThat(registry.size()).isZero();
        assertThat(registry.list(ByteString.EMPTY)).isEmpty();
        registry.remove(1);
    }

    @Test
    void lists_in_order_of_the_last_registration() {
        registry.register(30, "first", A);
        registry.register(20, "second", B);
        registry.register(10, "third", A);
        assertThat(connections(ByteString.EMPTY)).containsExactly("first", "second", "third");
        registry.register(30, "first", B);
        assertThat(connections(ByteString.EMPTY)).containsExactly("second", "third", "first");
        assertThat(connections(B)).containsExactly("second", "first");
        assertThat(connections(A)).containsExactly("third");
        assertThat(registry.size()).isEqualTo(3);
    }

    @Test
    void forgets_only_who_is_removed() {
        registry.register(1, "one", A);
        registry.register(2, "two", A);
        registry.remove(1);
        registry.remove(1);
        assertThat(registry.nameOf(1)).isNull();
        assertThat(registry.nameOf(2)).isEqualTo(A);
        assertThat(connections(A)).containsExactly("two");
    }
}
