package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.Holdfast;
import io.holdfast.testing.HoldfastExtension;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.aggregator.MessageCountReleaseStrategy;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

@DisplayName("Aggregators with a common store")
class AggregatorIT {
    private static final int MESSAGES = 40;

    @RegisterExtension static final HoldfastExtension HOLDFAST = new HoldfastExtension();

    @EnableIntegration
    static class Application {}

    @Test
    void two_aggregators_with_a_common_store_make_one_message() throws Exception {
        var output = new QueueChannel();
        var store = new SimpleMessageStore();
        var threads = Executors.newFixedThreadPool(4);
        try (var context = new AnnotationConfigApplicationContext(Application.class);
                Holdfast first = HOLDFAST.clientBuilder().connect();
                Holdfast second = HOLDFAST.clientBuilder().connect()) {
            List<AggregatingMessageHandler> aggregators =
                    List.of(
                            aggregator(context, first, store, output),
                            aggregator(context, second, store, output));
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                AggregatingMessageHandler aggregator = aggregators.get(i % 2);
                Message<Integer> message =
                        MessageBuilder.withPayload(i).setCorrelationId("an order").build();
                sent.add(threads.submit(() -> aggregator.handleMessage(message)));
            }
            for (Future<?> one : sent) {
                one.get(60, TimeUnit.SECONDS);
            }
            Message<?> whole = output.receive(60_000);
            assertThat(whole).isNotNull();
            assertThat((List<?>) whole.getPayload()).hasSize(MESSAGES).doesNotHaveDuplicates();
            assertThat(output.getQueueSize()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    private static AggregatingMessageHandler aggregator(
            AnnotationConfigApplicationContext context,
            Holdfast client,
            SimpleMessageStore store,
            QueueChannel output) {
        var aggregator =
                new AggregatingMessageHandler(
                        new DefaultAggregatingMessageGroupProcessor(), store, null, null);
        aggregator.setReleaseStrategy(new MessageCountReleaseStrategy(MESSAGES));
        aggregator.setLockRegistry(new HoldfastLockRegistry(client));
        aggregator.setOutputChannel(output);
        aggregator.setBeanFactory(context);
        aggregator.afterPropertiesSet();
        aggregator.start();
        return aggregator;
    }
}
