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
    void run_it_once_between_them() throws InterruptedException {
        try (var first = application();
                var second = application()) {
            Seen here = first.getBean(Seen.class);
            Seen there = second.getBean(Seen.class);
            assertThat(here.asked.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(there.asked.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(here.runs.get() + there.runs.get()).isEqualTo(1);
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
        LockProvider lockProvider(Holdfast client, Seen seen) {
            LockProvider provider = new HoldfastLockProvider(client);
            return configuration -> {
                var lock = provider.lock(configuration);
                seen.asked.countDown();
                return lock;
            };
        }

        @Bean
        Seen seen() {
            return new Seen();
        }

        @Bean
        Job job(Seen seen) {
            return new Job(seen);
        }
    }

    /** What happened in one application; enough when its schedule has come round a few times. */
    static class Seen {
        final CountDownLatch asked = new CountDownLatch(3);
        final AtomicInteger runs = new AtomicInteger();
    }

    static class Job {
        private final Seen seen;

        Job(Seen seen) {
            this.seen = seen;
        }

        @Scheduled(fixedDelay = 10)
        @SchedulerLock(name = "nightly", lockAtLeastFor = "PT5M")
        void run() {
            LockAssert.assertLocked();
            seen.runs.incrementAndGet();
        }
    }
}
