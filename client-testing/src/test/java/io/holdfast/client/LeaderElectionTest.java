package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.testing.FakeHoldfast;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A leader election")
class LeaderElectionTest {
    private final FakeHoldfast fake = new FakeHoldfast();
    private final Holdfast a = fake.client("a");
    private final Holdfast b = fake.client("b");
    private final List<String> log = new CopyOnWriteArrayList<>();

    @AfterEach
    void nothing_is_left() {
        fake.close();
        assertThat(fake.inUse()).isZero();
    }

    private LeaderElection.LeaderTask untilInterrupted(String name) {
        return leadership -> {
            log.add(name + " leads");
            try {
                new CountDownLatch(1).await();
            } finally {
                log.add(name + " ends");
            }
        };
    }

    @Test
    void there_is_one_leader_at_a_time_and_the_next_one_follows_a_resignation() {
        var first = a.leaderElection("l").campaign(untilInterrupted("a"));
        Background.until(first::isLeading);
        try (var second = b.leaderElection("l").campaign(untilInterrupted("b"))) {
            Background.until(() -> fake.inUse() == 2);
            assertThat(second.isLeading()).isFalse();
            assertThat(second.fence()).isEmpty();
            long fence = first.fence().orElseThrow();
            first.close();
            assertThat(first.isLeading()).isFalse();
            Background.until(second::isLeading);
            assertThat(second.fence().orElseThrow()).isGreaterThan(fence);
            Background.until(() -> log.size() == 3);
            assertThat(log).containsExactly("a leads", "a ends", "b leads");
        }
    }

    @Test
    void a_leader_that_loses_leadership_is_interrupted_and_campaigns_again() {
        try (var candidacy = a.leaderElection("l").campaign(untilInterrupted("a"))) {
            Background.until(() -> log.size() == 1);
            assertThat(candidacy.isLeading()).isTrue();
            fake.releaseByToken("l");
            Background.until(
                    () -> {
                        fake.advance(Duration.ofMillis(10));
                        return log.size() == 3;
                    });
            assertThat(log).containsExactly("a leads", "a ends", "a leads");
        }
    }

    @Test
    void a_leader_whose_task_fails_campaigns_again_after_a_pause() {
        var failures = new AtomicInteger();
        try (var candidacy =
                a.leaderElection("l")
                        .campaign(
                                leadership -> {
                                    if (failures.incrementAndGet() < 3) {
                                        throw new java.io.IOException("a test's failure");
                                    }
                                    untilInterrupted("a").lead(leadership);
                                })) {
            Background.until(() -> failures.get() == 1 && fake.inUse() == 0);
            Background.until(
                    () -> {
                        fake.advance(Duration.ofMillis(20));
                        return log.size() == 1;
                    });
            assertThat(failures).hasValue(3);
            assertThat(candidacy.isLeading()).isTrue();
        }
    }

    @Test
    void lead_acquires_leadership_once() throws Exception {
        try (var hold = a.leaderElection("l").lead(Duration.ZERO)) {
            assertThat(hold.isHeld()).isTrue();
            assertThat(b.leaderElection("l").key()).isEqualTo("l");
        }
    }

    @Test
    void a_leader_may_resign_within_its_task() {
        var candidacy = new CopyOnWriteArrayList<LeaderElection.Candidacy>();
        var ready = new CountDownLatch(1);
        candidacy.add(
                a.leaderElection("l")
                        .campaign(
                                leadership -> {
                                    ready.await();
                                    candidacy.get(0).close();
                                    log.add("resigned");
                                }));
        ready.countDown();
        Background.until(() -> log.size() == 1 && fake.inUse() == 0);
    }
}
