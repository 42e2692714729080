package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Locale;

@DisplayName("The checker of the holders of a key")
class HolderCheckerTest {
    private static SoakGrant grant(long fence, long salt) {
        return new SoakGrant(String.format(Locale.ROOT, "%016x%016x", fence, salt));
    }

    private static void passThrough(HolderChecker holderChecker, SoakGrant soakGrant)
            throws CheckFailedException {
        holderChecker.enter(soakGrant, holderChecker.floor());
        holderChecker.leave();
    }

    @Test
    void one_holder_after_the_other_passes() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 1);
        for (int i = 1; i < 10; i++) {
            passThrough(holderChecker, grant(i, i));
        }
        holderChecker.checkFences();
    }

    @Test
    void a_second_holder_of_a_lock_fails_the_check() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 1);
        holderChecker.enter(grant(1, 1), 0);
        assertThatThrownBy(() -> holderChecker.enter(grant(2, 2), 0))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("k has 2 holders at once, allowed: 1");
    }

    @Test
    void a_fourth_holder_of_a_semaphore_of_three_fails_the_check() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 3);
        for (int i = 1; i <= 3; i++) {
            holderChecker.enter(grant(i, i), 0);
        }
        assertThatThrownBy(() -> holderChecker.enter(grant(4, 4), 0))
                .hasMessage("k has 4 holders at once, allowed: 3");
    }

    @Test
    void a_token_granted_twice_fails_the_check() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 1);
        passThrough(holderChecker, grant(1, 1));
        assertThatThrownBy(() -> passThrough(holderChecker, grant(1, 1)))
                .hasMessage("k: the same token was granted twice");
    }

    @Test
    void a_fence_that_did_not_increase_fails_the_check() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 1);
        for (long fence : new long[] {11, 12, 14, 13, 15}) {
            passThrough(holderChecker, grant(fence, fence));
        }
        assertThatThrownBy(holderChecker::checkFences)
                .hasMessage("k: fence 000000000000000d came after 000000000000000e");
    }

    @Test
    void fences_are_compared_as_unsigned_numbers() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 1);
        for (long fence = Long.MAX_VALUE - 3; fence != Long.MIN_VALUE + 3; fence++) {
            passThrough(holderChecker, grant(fence, fence));
        }
        holderChecker.checkFences();
    }

    @Test
    void fences_of_concurrent_holders_may_arrive_in_any_order() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 3);
        long floor = holderChecker.floor();
        holderChecker.enter(grant(3, 0), floor);
        holderChecker.enter(grant(1, 0), floor);
        holderChecker.enter(grant(2, 0), floor);
        holderChecker.leave();
        holderChecker.enter(grant(4, 0), holderChecker.floor());
        holderChecker.checkFences();
    }

    @Test
    void a_fence_below_one_seen_before_the_request_fails_the_check() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 3);
        for (long fence : new long[] {1, 2, 5, 4}) {
            passThrough(holderChecker, grant(fence, fence));
        }
        assertThatThrownBy(holderChecker::checkFences).hasMessageContaining("came after");
    }

    @Test
    void random_tokens_are_not_checked_as_fences() throws CheckFailedException {
        var holderChecker = new HolderChecker("k", 1);
        for (long i = 1; i < 50; i++) {
            passThrough(holderChecker, grant(i * 0x9E37_79B9_7F4A_7C15L, i));
        }
        holderChecker.checkFences();
    }
}
