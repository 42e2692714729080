package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A token")
class TokenTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");

    private final LockScenario locks = new LockScenario();

    @Test
    void tokens_have_fences_that_increase_with_every_grant() {
        long last = 0;
        for (int i = 0; i < 10; i++) {
            var grant = locks.acquire("alice", i % 2 == 0 ? PRINTER : SCANNER);
            assertThat(grant.fence()).isGreaterThan(last);
            last = grant.fence();
            locks.release(grant);
        }
    }

    @Test
    void a_token_has_the_salt_of_the_request_it_was_granted_to() {
        var alice = locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        long first = alice.token().salt();
        locks.release(alice);
        long second = bob.token().salt();
        locks.close("bob");
        assertThat(second).isEqualTo(first + 1);
        assertThat(carol.token().salt()).isEqualTo(first + 2);
    }

    @Test
    void a_token_with_the_right_fence_and_the_wrong_salt_does_nothing() {
        var alice = locks.acquire("alice", PRINTER);
        assertDead(PRINTER, new Token(alice.fence(), alice.token().salt() + 1));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
    }

    @Test
    void a_token_with_the_wrong_fence_and_the_right_salt_does_nothing() {
        var alice = locks.acquire("alice", PRINTER);
        assertDead(PRINTER, new Token(alice.fence() + 1, alice.token().salt()));
        assertDead(PRINTER, new Token(alice.fence() - 1, alice.token().salt()));
    }

    @Test
    void a_token_of_a_semaphore_slot_needs_its_salt_too() {
        Target pool = Target.semaphore("pool", 3);
        var alice = locks.acquire("alice", pool);
        var bob = locks.acquire("bob", pool);
        assertDead(pool, new Token(alice.fence(), bob.token().salt()));
        assertThat(locks.holdersOf(pool)).isEqualTo(2);
    }

    @Test
    void a_released_token_is_invalid_even_if_the_same_session_holds_again() {
        var first = locks.acquire("alice", PRINTER);
        locks.release(first);
        locks.acquire("alice", PRINTER);
        assertDead(PRINTER, first.token());
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
    }

    @Test
    void an_expired_token_is_invalid_even_if_the_same_session_holds_again() {
        var first = locks.acquire("alice", PRINTER, ofSeconds(1));
        locks.advance(ofSeconds(1));
        locks.acquire("alice", PRINTER);
        assertDead(PRINTER, first.token());
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
    }

    @Test
    void a_token_is_invalid_after_its_session_has_ended() {
        var alice = locks.acquire("alice", PRINTER);
        locks.close("alice");
        assertDead(PRINTER, alice.token());
    }

    @Test
    void a_token_of_a_cancelled_grant_is_invalid() {
        var alice = locks.acquire("alice", PRINTER);
        var token = alice.token();
        locks.cancel(alice);
        assertDead(PRINTER, token);
    }

    @Test
    void a_token_works_for_its_own_key_only() {
        var alice = locks.acquire("alice", PRINTER);
        locks.acquire("alice", SCANNER);
        assertDead(SCANNER, alice.token());
        assertThat(locks.holderOf(SCANNER)).isEqualTo("alice");
    }

    @Test
    void a_token_does_not_show_its_salt_when_printed() {
        assertThat(new Token(7, 0x1234_5678_9ABCL)).hasToString("Token[fence=7, salt=***]");
        assertThat(new Token(-1, 5)).hasToString("Token[fence=18446744073709551615, salt=***]");
    }

    private void assertDead(Target what, Token token) {
        assertThat(locks.release("mallory", what, token).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.renew("mallory", what, token, USUAL).outcome()).isEqualTo(NOT_HELD);
    }
}
