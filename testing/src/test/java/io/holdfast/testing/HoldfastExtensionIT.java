package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("The JUnit extension")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HoldfastExtensionIT {
    @RegisterExtension static final HoldfastExtension PER_CLASS = new HoldfastExtension();

    private static String firstAddress = "";

    @RegisterExtension
    final HoldfastExtension perTest = new HoldfastExtension().authToken("open sesame");

    @Test
    @Order(1)
    void a_static_extension_starts_a_server_before_the_first_test() throws InterruptedException {
        firstAddress = PER_CLASS.address();
        try (Hold _ = PER_CLASS.client().lock("a").acquire()) {
            assertThat(PER_CLASS.client().lock("a").tryAcquire()).isEmpty();
        }
        PER_CLASS.stop();
    }

    @Test
    @Order(2)
    void a_static_extension_keeps_its_server_and_restarts_it_if_a_test_stopped_it() {
        assertThat(PER_CLASS.address()).isEqualTo(firstAddress);
        assertThat(PER_CLASS.server().isRunning()).isTrue();
        try (Holdfast client = PER_CLASS.clientBuilder().connect()) {
            assertThat(client.lock("b").tryAcquire()).isPresent();
        }
    }

    @Test
    @Order(3)
    void an_extension_in_an_instance_field_starts_a_server_for_each_test() {
        assertThat(perTest.address()).isNotEqualTo(PER_CLASS.address());
        assertThat(perTest.client().lock("a").tryAcquire()).isPresent();
        assertThat(PER_CLASS.client().lock("a").tryAcquire()).hasValueSatisfying(Hold::close);
    }

    @Test
    @Order(4)
    void the_server_for_the_next_test_is_empty() {
        assertThat(perTest.client().lock("a").tryAcquire()).isPresent();
    }

    @Nested
    @DisplayName("in a nested class")
    class InANestedClass {
        @Test
        void a_nested_class_has_the_server_of_the_enclosing_class() {
            assertThat(PER_CLASS.address()).isEqualTo(firstAddress);
        }
    }
}
