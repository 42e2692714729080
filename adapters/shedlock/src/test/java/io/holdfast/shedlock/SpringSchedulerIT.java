package io.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.Holdfast;
import io.holdfast.testing.HoldfastExtension;

import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("Two Spring applications with the same scheduled task")
class SpringSchedulerIT {
    @RegisterExtension static final HoldfastExtension HOLDFAST = new HoldfastExtension();

    @Test
    void two_applications_run_a_scheduled_task_once() throws InterruptedException {
        try (var firstApplication = application();
                var secondApplication = application()) {
            Observations first = firstApplication.getBean(Observations.class);
            Observations second = secondApplication.getBean(Observations.class);
            assertThat(first.requested.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(second.requested.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(first.runs.get() + second.runs.get()).isEqualTo(1);
        }
    }

    private static AnnotationConfigApplicationContext application() {
        var context = new AnnotationConfigApplicationContext();
        context.registerBean(Holdfast.class, () -> HOLDFAST.clientBuilder().connect());
        context.register(Application.class);
        context.refresh();
        return context;
    }

    @Configuration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "PT10M")
    static class Application {
        @Bean
        LockProvider lockProvider(Holdfast client, Observations observations) {
            LockProvider provider = new HoldfastLockProvider(client);
            return configuration -> {
                var lock = provider.lock(configuration);
                observations.requested.countDown();
                return lock;
            };
        }

        @Bean
        Observations observations() {
            return new Observations();
        }

        @Bean
        Job job(Observations observations) {
            return new Job(observations);
        }
    }

    /**
     * Counts the lock requests and the runs in one application. Its schedule has fired often enough
     * when the latch is open.
     */
    static class Observations {
        final CountDownLatch requested = new CountDownLatch(3);
        final AtomicInteger runs = new AtomicInteger();
    }

    static class Job {
        private final Observations observations;

        Job(Observations observations) {
            this.observations = observations;
        }

        @Scheduled(fixedDelay = 10)
        @SchedulerLock(name = "nightly", lockAtLeastFor = "PT5M")
        void run() {
            LockAssert.assertLocked();
            observations.runs.incrementAndGet();
        }
    }
}
