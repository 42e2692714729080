package io.holdfast.http;

import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The HTTP front end")
class HttpFrontEndIT {
    @Test
    void the_front_end_can_be_closed_and_drained_after_it_was_closed() {
        TestHttp http = TestHttp.start();
        http.close();

        assertThatNoException().isThrownBy(http.front::close);
        assertThatNoException().isThrownBy(http.front::drain);
    }
}
