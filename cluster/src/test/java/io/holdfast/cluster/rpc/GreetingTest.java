package io.holdfast.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

@DisplayName("A greeting")
class GreetingTest {
    private static final Greeting GREETING =
            new Greeting(
                    Greeting.Kind.NODE,
                    "c",
                    new UUID(1, 2),
                    "n1",
                    new UUID(3, 4),
                    new MemberList(
                            6, 7, List.of(new Member(NodeAddress.parse("n1=a:1"), new UUID(3, 4)))),
                    new KnownVersions(1, 2, 3),
                    2);

    /** The form of a greeting; nodes of all versions must be able to read it. */
    @Test
    void a_greeting_has_the_recorded_bytes() throws IOException {
        String hex =
                "00010002" // lowest and highest version of the frames
                        + "01" // kind
                        + "000163" // cluster
                        + "0100000000000000010000000000000002"
                        + "00026e31" // node
                        + "0100000000000000030000000000000004"
                        + "000000000000000600000000000000070001" // members
                        + "00026e310001610001"
                        + "00000000000000030000000000000004"
                        + "00030002"; // highest known version of the cluster, and its version
        assertThat(HexFormat.of().formatHex(GREETING.toBytes())).isEqualTo(hex);
        assertThat(Greeting.of(HexFormat.of().parseHex(hex))).isEqualTo(GREETING);
    }

    @Test
    void fields_that_a_later_version_adds_at_the_end_are_ignored() throws IOException {
        byte[] bytes = GREETING.toBytes();
        assertThat(Greeting.of(Arrays.copyOf(bytes, bytes.length + 9))).isEqualTo(GREETING);
    }

    @Test
    void a_truncated_greeting_is_refused() {
        byte[] bytes = GREETING.toBytes();
        for (int length = 0; length < bytes.length; length++) {
            byte[] part = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> Greeting.of(part)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_greeting_with_an_impossible_range_of_versions_is_refused() {
        byte[] bytes = GREETING.toBytes();
        bytes[1] = 3;
        assertThatThrownBy(() -> Greeting.of(bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("invalid versions: frames 3 to 2");
    }
}
