package io.holdfast.cli.soak.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("A short campaign of faults in a cluster")
@EnabledOnOs(OS.LINUX) // other systems have one loopback address only
class ClusterCampaignIT {
    @Test
    @Timeout(300)
    void finds_no_promise_broken(@TempDir Path folder) throws InterruptedException {
        List<String> lines = new CopyOnWriteArrayList<>();
        Campaign campaign =
                new Campaign(
                        new CampaignPlan(11, Duration.ofSeconds(45), 3, folder),
                        List.of(
                                Fault.KILL_LEADER,
                                Fault.PAUSE_LEADER,
                                Fault.CUT_OFF_LEADER,
                                Fault.DEAF_LEADER,
                                Fault.KILL_ALL),
                        lines::add);
        int status = campaign.run();
        lines.forEach(System.err::println);
        assertThat(lines).contains("soak: no violations, seed 11");
        assertThat(status).isZero();
    }
}
