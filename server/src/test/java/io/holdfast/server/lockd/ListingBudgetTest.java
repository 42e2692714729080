package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

@DisplayName("The memory budget of listings")
class ListingBudgetTest {
    private static final Duration LONG = Duration.ofHours(1);

    /** A listing that ends when it is aborted. */
    private static final class Fake implements ListingBudget.Listing {
        private final ListingBudget budget;
        private final CountDownLatch cut = new CountDownLatch(1);
        private volatile boolean connected = true;

        Fake(ListingBudget budget) {
            this.budget = budget;
        }

        boolean take(long bytes) {
            try {
                return budget.reserve(this, bytes);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        CompletableFuture<Boolean> takeLater(long bytes) {
            return CompletableFuture.supplyAsync(() -> take(bytes), Thread.ofVirtual()::start);
        }

        @Override
        public boolean isConnected() {
            return connected;
        }

        @Override
        public void abort() {
            cut.countDown();
            budget.release(this);
        }
    }

    @Test
    void several_listings_that_fit_are_admitted() {
        ListingBudget budget = new ListingBudget(100, LONG);
        assertThat(new Fake(budget).take(50)).isTrue();
        assertThat(new Fake(budget).take(50)).isTrue();
    }

    @Test
    void a_single_listing_larger_than_the_limit_is_admitted() {
        assertThat(new Fake(new ListingBudget(100, LONG)).take(1000)).isTrue();
    }

    @Test
    void a_listing_waits_until_another_is_done() {
        ListingBudget budget = new ListingBudget(100, LONG);
        Fake first = new Fake(budget);
        first.take(80);
        CompletableFuture<Boolean> second = new Fake(budget).takeLater(80);
        budget.release(first);
        assertThat(second.join()).isTrue();
        CompletableFuture<Boolean> third = new Fake(budget).takeLater(30);
        await().during(Duration.ofMillis(50)).until(() -> !third.isDone());
    }

    @Test
    void a_waiting_listing_whose_client_is_gone_is_dropped() {
        ListingBudget budget = new ListingBudget(100, LONG);
        new Fake(budget).take(80);
        Fake second = new Fake(budget);
        second.connected = false;
        assertThat(second.take(80)).isFalse();
        budget.release(second); // it has reserved nothing
        assertThat(new Fake(budget).take(20)).isTrue();
    }

    @Test
    void the_oldest_listing_is_aborted_after_its_timeout_when_others_wait() {
        ListingBudget budget = new ListingBudget(100, Duration.ZERO);
        Fake first = new Fake(budget);
        Fake second = new Fake(budget);
        first.take(50);
        second.take(50);
        assertThat(new Fake(budget).take(50)).isTrue();
        assertThat(first.cut.getCount()).isZero();
        assertThat(second.cut.getCount()).isOne();
    }
}
