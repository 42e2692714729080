package io.holdfast.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.Main;
import io.holdfast.testsupport.Thorough;
import io.holdfast.verification.campaign.Fault;
import io.holdfast.verification.campaign.FaultCampaign;
import io.holdfast.verification.campaign.FaultCampaignOptions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("A fault campaign against a cluster")
@EnabledOnOs(OS.LINUX) // other systems have one loopback address only
class ClusterCampaignIT {
    @Test
    @Timeout(300)
    void a_short_campaign_finds_no_violation(@TempDir Path folder) throws InterruptedException {
        run(
                new FaultCampaignOptions(11, Duration.ofSeconds(20), 3, folder, Main.class),
                List.of(Fault.KILL_LEADER, Fault.CUT_OFF_LEADER, Fault.KILL_ALL));
    }

    @Test
    @Thorough
    @Timeout(1200)
    void a_campaign_of_ten_minutes_with_all_faults_finds_no_violation(@TempDir Path folder)
            throws InterruptedException {
        long seed = new Random().nextLong(1_000_000);
        run(
                new FaultCampaignOptions(seed, Duration.ofMinutes(10), 3, folder, Main.class),
                List.of(Fault.values()));
    }

    private static void run(FaultCampaignOptions options, List<Fault> faults)
            throws InterruptedException {
        List<String> lines = new CopyOnWriteArrayList<>();
        int status = new FaultCampaign(options, faults, lines::add).run();
        lines.forEach(System.err::println);
        assertThat(lines).contains("soak: no violations, seed " + options.seed());
        assertThat(status).isZero();
    }
}
