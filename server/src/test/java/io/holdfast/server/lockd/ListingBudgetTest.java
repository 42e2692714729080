package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

@DisplayName("The room for listings")
class ListingBudgetTest {
    private static final Duration LONG = Duration.ofHours(1);

    /** A listing that ends when it is cut off. */
    private static final class Fake implements ListingBudget.Listing {
        private final ListingBudget room;
        private final CountDownLatch cut = new CountDownLatch(1);
        private volatile boolean wanted = true;

        Fake(ListingBudget room) {
            this.room = room;
        }

        boolean take(long bytes) {
            try {
                return room.reserve(this, bytes);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        CompletableFuture<Boolean> takeLater(long bytes) {
            return CompletableFuture.supplyAsync(() -> take(bytes), Thread.ofVirtual()::start);
        }

        @Override
        public boolean isWanted() {
            return wanted;
        }

        @Override
        public void abort() {
            cut.countDown();
            room.release(this);
        }
    }

    @Test
    void lets_several_in_that_fit() {
        ListingBudget room = new ListingBudget(100, LONG);
        assertThat(new Fake(room).take(50)).isTrue();
        assertThat(new Fake(room).take(50)).isTrue();
    }

    @Test
    void lets_one_in_that_is_larger_than_the_room() {
        assertThat(new Fake(new ListingBudget(100, LONG)).take(1000)).isTrue();
    }

    @Test
    void makes_one_wait_until_another_is_done() {
        ListingBudget room = new ListingBudget(100, LONG);
        Fake first = new Fake(room);
        first.take(80);
        CompletableFuture<Boolean> second = new Fake(room).takeLater(80);
        room.release(first);
        assertThat(second.join()).isTrue();
        CompletableFuture<Boolean> third = new Fake(room).takeLater(30);
        await().during(Duration.ofMillis(50)).until(() -> !third.isDone());
    }

    @Test
    void forgets_one_that_nobody_waits_for() {
        ListingBudget room = new ListingBudget(100, LONG);
        new Fake(room).take(80);
        Fake second = new Fake(room);
        second.wanted = false;
        assertThat(second.take(80)).isFalse();
        room.release(second); // took nothing
        assertThat(new Fake(room).take(20)).isTrue();
    }

    @Test
    void cuts_the_oldest_that_has_had_its_time_when_others_wait() {
        ListingBudget room = new ListingBudget(100, Duration.ZERO);
        Fake first = new Fake(room);
        Fake second = new Fake(room);
        first.take(50);
        second.take(50);
        assertThat(new Fake(room).take(50)).isTrue();
        assertThat(first.cut.getCount()).isZero();
        assertThat(second.cut.getCount()).isOne();
    }
}
