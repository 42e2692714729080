package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.Holdfast;
import io.holdfast.client.KeyInfo;
import io.holdfast.testing.HoldfastExtension;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

@DisplayName("Spring's leader election")
class LeaderInitiatorIT {
    @RegisterExtension final HoldfastExtension holdfast = new HoldfastExtension();

    @Test
    void there_is_one_leader_and_another_one_after_it_closes() throws InterruptedException {
        var first = application();
        assertThat(next(first)).isInstanceOf(OnGrantedEvent.class);
        try (var second = application()) {
            assertThat(leads(second)).isFalse();
            assertThat(info().holders()).hasSize(1);
            first.close();
            assertThat(next(second)).isInstanceOf(OnGrantedEvent.class);
            assertThat(leads(second)).isTrue();
        }
    }

    @Test
    void a_leader_that_lost_its_lock_is_revoked_and_a_new_one_is_elected()
            throws InterruptedException {
        try (var application = application()) {
            assertThat(next(application)).isInstanceOf(OnGrantedEvent.class);
            holdfast.restart();
            assertThat(next(application)).isInstanceOf(OnRevokedEvent.class);
            assertThat(next(application)).isInstanceOf(OnGrantedEvent.class);
            assertThat(info().holders()).hasSize(1);
        }
    }

    private KeyInfo.ResourceInfo info() {
        return holdfast.client().info("spring:boss").lock().orElseThrow();
    }

    private static AbstractLeaderEvent next(AnnotationConfigApplicationContext application)
            throws InterruptedException {
        return application.getBean(Events.class).received.poll(60, TimeUnit.SECONDS);
    }

    private static boolean leads(AnnotationConfigApplicationContext application) {
        return application.getBean(LockRegistryLeaderInitiator.class).getContext().isLeader();
    }

    private AnnotationConfigApplicationContext application() {
        var context = new AnnotationConfigApplicationContext();
        context.registerBean(Holdfast.class, () -> holdfast.clientBuilder().connect());
        context.register(Application.class);
        context.refresh();
        return context;
    }

    @Configuration
    @EnableIntegration
    static class Application {
        @Bean
        HoldfastLockRegistry lockRegistry(Holdfast client) {
            return new HoldfastLockRegistry(client);
        }

        @Bean
        LockRegistryLeaderInitiator leader(HoldfastLockRegistry registry) {
            var initiator =
                    new LockRegistryLeaderInitiator(registry, new DefaultCandidate("node", "boss"));
            initiator.setHeartBeatMillis(50);
            initiator.setBusyWaitMillis(10);
            return initiator;
        }

        @Bean
        Events events() {
            return new Events();
        }
    }

    static class Events {
        final BlockingQueue<AbstractLeaderEvent> received = new LinkedBlockingQueue<>();

        @EventListener
        void onEvent(AbstractLeaderEvent event) {
            received.add(event);
        }
    }
}
