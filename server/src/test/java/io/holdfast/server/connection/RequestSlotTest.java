package io.holdfast.server.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.server.connection.RequestSlot.Event;
import io.holdfast.server.connection.RequestSlot.State;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

@DisplayName("The request slot of a connection")
class RequestSlotTest {
    private static final Command.Keyed COMMAND =
            new Command.Await(
                    1, 7, ResourceKind.LOCK, Key.of(Namespace.DEFAULT, new byte[] {'k'}), 60);

    /** Each state, the events that lead to it, and what each event makes of it; - is an error. */
    private static final String TRANSITIONS =
            """
            STATE      BY                   SUBMIT    APPLY     CANCEL     RESULT    DEFER     RETRY     PAUSE     CONTINUE  STREAM    END_STREAM CLOSE     LINGER
            READY      -                    SUBMITTED -         -          -         DEFERRED  -         BACKLOG   READY     STREAMING -          CLOSING   -
            BACKLOG    PAUSE                -         -         -          -         -         -         -         READY     STREAMING -          CLOSING   -
            DEFERRED   DEFER                -         -         -          -         -         READY     -         -         STREAMING -          CLOSING   -
            SUBMITTED  SUBMIT               -         BLOCKED   -          READY     -         -         -         -         STREAMING -          CLOSING   -
            BLOCKED    SUBMIT,APPLY         -         -         CANCELLING READY     -         -         -         -         -         -          CLOSING   -
            CANCELLING SUBMIT,APPLY,CANCEL  -         -         -          READY     -         -         -         -         -         -          CLOSING   -
            STREAMING  STREAM               -         -         -          -         -         -         -         -         -         READY      CLOSING   -
            STREAMING  PAUSE,STREAM         -         -         -          -         -         -         -         -         -         READY      CLOSING   -
            STREAMING  DEFER,STREAM         -         -         -          -         -         -         -         -         -         DEFERRED   CLOSING   -
            STREAMING  SUBMIT,STREAM        -         -         -          -         -         -         -         -         -         SUBMITTED  CLOSING   -
            CLOSING    CLOSE                CLOSING   CLOSING   CLOSING    CLOSING   CLOSING   CLOSING   CLOSING   CLOSING   CLOSING   CLOSING    CLOSING   LINGERING
            LINGERING  CLOSE,LINGER         LINGERING LINGERING LINGERING  LINGERING LINGERING LINGERING LINGERING LINGERING LINGERING LINGERING  LINGERING LINGERING
            """;

    private static RequestSlot<String> slotAfter(String events) {
        var slot = new RequestSlot<String>();
        if (!events.equals("-")) {
            Arrays.stream(events.split(",")).map(Event::valueOf).forEach(slot::move);
        }
        return slot;
    }

    @Test
    void every_event_in_every_state() {
        List<String[]> rows = TRANSITIONS.lines().map(line -> line.split(" +")).toList();
        assertThat(Arrays.copyOfRange(rows.getFirst(), 2, rows.getFirst().length))
                .containsExactly(
                        Arrays.stream(Event.values()).map(Event::name).toArray(String[]::new));
        assertThat(rows.stream().skip(1).map(row -> row[0]).distinct())
                .containsExactly(
                        Arrays.stream(State.values()).map(State::name).toArray(String[]::new));
        for (String[] row : rows.subList(1, rows.size())) {
            for (Event event : Event.values()) {
                RequestSlot<String> slot = slotAfter(row[1]);
                assertThat(slot.state().name()).isEqualTo(row[0]);
                String next = row[2 + event.ordinal()];
                if (next.equals("-")) {
                    assertThatThrownBy(() -> slot.move(event))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("%s in state %s", event, row[0]);
                    assertThat(slot.state().name()).isEqualTo(row[0]);
                } else {
                    slot.move(event);
                    assertThat(slot.state().name())
                            .as("%s after %s", event, row[1])
                            .isEqualTo(next);
                }
            }
        }
    }

    @Test
    void the_result_of_a_command_is_the_effect_with_its_number() {
        var slot = new RequestSlot<String>();
        Effect other = new Effect.TimedOut(1, 6);
        Effect result = new Effect.TimedOut(1, 7);
        assertThat(slot.isResult(result)).isFalse();
        slot.submit(COMMAND);
        assertThat(slot.isOccupied()).isTrue();
        assertThat(slot.isResult(other)).isFalse();
        assertThat(slot.isResult(result)).isTrue();
        slot.move(Event.RESULT);
        assertThat(slot.command()).isNull();
        assertThat(slot.isResult(result)).isFalse();
    }

    @Test
    void a_grant_is_not_the_result_of_a_command_that_is_being_cancelled() {
        var slot = new RequestSlot<String>();
        slot.submit(COMMAND);
        slot.move(Event.APPLY);
        Effect grant = new Effect.Granted(1, 7, COMMAND.key(), new Token(1, 2), 60);
        assertThat(slot.isResult(grant)).isTrue();
        slot.move(Event.CANCEL);
        assertThat(slot.isResult(grant)).isFalse();
        assertThat(slot.isResult(new Effect.Cancelled(1, 7))).isTrue();
    }

    @Test
    void a_request_that_is_no_command_has_a_receiver_also_behind_a_stream() {
        var slot = new RequestSlot<String>();
        slot.submit(9, _ -> {});
        slot.move(Event.STREAM);
        assertThat(slot.isOccupied()).isTrue();
        slot.move(Event.END_STREAM);
        assertThat(slot.isResult(new Effect.Counted(1, 9, 3))).isTrue();
        assertThat(slot.receiver()).isNotNull();
        assertThat(slot.command()).isNull();
    }

    @Test
    void a_deferred_request_is_served_once() {
        var slot = new RequestSlot<String>();
        slot.defer("request");
        slot.move(Event.STREAM);
        slot.move(Event.END_STREAM);
        slot.move(Event.RETRY);
        assertThat(slot.takeDeferred()).isEqualTo("request");
        assertThat(slot.hasDeferred()).isFalse();
    }

    @Test
    void nothing_is_put_into_a_slot_of_a_closed_connection() {
        RequestSlot<String> slot = slotAfter("SUBMIT,CLOSE");
        slot.submit(COMMAND);
        slot.submit(9, _ -> {});
        slot.defer("request");
        assertThat(slot.isOccupied()).isFalse();
        assertThat(slot.hasDeferred()).isFalse();
    }
}
