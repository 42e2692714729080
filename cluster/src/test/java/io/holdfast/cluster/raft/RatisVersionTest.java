package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

@DisplayName("The version of Apache Ratis")
class RatisVersionTest {
    private static final String REVIEWED = "3.3.0";

    @Test
    void the_ratis_version_is_the_one_that_the_list_of_differences_was_written_for()
            throws IOException {
        assertThat(version())
                .as(
                        """
                        cluster/README.md lists where the package raft differs from Ratis %s, and \
                        why. Before you change the version here:
                        - go through the list with the sources of the new version: is each reason \
                        still true, is each difference still safe?
                        - look for new code that acknowledges, votes, truncates or purges, and for \
                        changed formats of the log, raft-meta and raft-meta.conf
                        - run ./mvnw verify -Pthorough, and compare the rate (docs/benchmarks.md)
                        - write the new version into the list\
                        """,
                        REVIEWED)
                .isEqualTo(REVIEWED);
    }

    private static String version() throws IOException {
        String path = "/META-INF/maven/org.apache.ratis/ratis-server-api/pom.properties";
        Properties properties = new Properties();
        try (InputStream in = RaftServer.class.getResourceAsStream(path)) {
            assertThat(in).as(path).isNotNull();
            properties.load(in);
        }
        return properties.getProperty("version", "");
    }
}
