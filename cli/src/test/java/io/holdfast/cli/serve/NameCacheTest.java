package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.security.Security;

@DisplayName("The time for which a server relies on a resolved name")
class NameCacheTest {
    private static final String FOUND = "networkaddress.cache.ttl";
    private static final String NOT_FOUND = "networkaddress.cache.negative.ttl";

    @AfterEach
    void clear() {
        System.clearProperty("sun.net.inetaddr.ttl");
        System.clearProperty("sun.net.inetaddr.negative.ttl");
        NameCache.shorten();
    }

    @Test
    void is_short() {
        NameCache.shorten();
        assertThat(Security.getProperty(FOUND)).isEqualTo("5");
        assertThat(Security.getProperty(NOT_FOUND)).isEqualTo("1");
    }

    @Test
    void is_that_of_the_system_properties_if_there_are_any() {
        System.setProperty("sun.net.inetaddr.ttl", "60");
        System.setProperty("sun.net.inetaddr.negative.ttl", "0");
        NameCache.shorten();
        assertThat(Security.getProperty(FOUND)).isEqualTo("60");
        assertThat(Security.getProperty(NOT_FOUND)).isEqualTo("0");
    }
}
