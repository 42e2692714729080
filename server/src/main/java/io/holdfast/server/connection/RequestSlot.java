package io.holdfast.server.connection;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * The request that a connection serves, at most one. {@link #move} is the only place where its
 * state changes. Confined to the event loop.
 *
 * <p>The states are constants, and what belongs to a state is in fields: every request passes
 * through three states, and must not leave three objects behind.
 *
 * @param <I> what the protocol decodes from the input
 */
final class RequestSlot<I> {
    enum State {
        /** The next request can be served. */
        READY,
        /** As {@code READY}, but what is left of the input is served in a later iteration. */
        BACKLOG,
        /** A decoded request must wait until it can be served. */
        DEFERRED,
        /** A request is in flight, and it is not known whether it has been applied. */
        SUBMITTED,
        /** The request waits in the engine. */
        BLOCKED,
        /** The request waits in the engine, and the server has requested its cancellation. */
        CANCELLING,
        /** A response is being written off the event loop. */
        STREAMING,
        /** No further request is read and no further response is written. */
        CLOSING,
        /** As {@code CLOSING}; everything is written and the client should close. */
        LINGERING
    }

    enum Event {
        /** A request was sent to the driver. */
        SUBMIT,
        /** The request was applied and has no result yet. */
        APPLY,
        /** The cancellation of the request was sent to the driver. */
        CANCEL,
        /** The request has its result. */
        RESULT,
        /** The request must be served later. */
        DEFER,
        /** The deferred request is to be served now. */
        RETRY,
        /** The work budget is used up, or the socket is full. */
        PAUSE,
        /** Requests are served again. */
        CONTINUE,
        /** A response begins that is written off the event loop. */
        STREAM,
        /** The last piece of that response was written. */
        END_STREAM,
        /** The connection ends. */
        CLOSE,
        /** The last response was written. */
        LINGER
    }

    private State state = State.READY;

    /** The state after {@code STREAMING}. */
    private State afterStream = State.READY;

    /** The request in flight; else null, also if it is no command of the engine. */
    private Command.@Nullable Keyed command;

    /** What gets the result of a request in flight that is no command of the engine; else null. */
    private @Nullable Consumer<Effect> receiver;

    /** The number of the request in flight. */
    private long number;

    /** The deferred request; else null. */
    private @Nullable I deferred;

    State state() {
        return state;
    }

    boolean is(State expected) {
        return state == expected;
    }

    boolean isClosing() {
        return state == State.CLOSING || state == State.LINGERING;
    }

    // ---- the request in flight

    /** A command is about to be submitted. */
    void submit(Command.Keyed submitted) {
        move(Event.SUBMIT);
        command = isClosing() ? null : submitted;
        number = submitted.request();
    }

    /** A request that is no command of the engine is about to be submitted. */
    void submit(long request, Consumer<Effect> to) {
        move(Event.SUBMIT);
        receiver = isClosing() ? null : to;
        number = request;
    }

    void defer(I request) {
        move(Event.DEFER);
        deferred = isClosing() ? null : request;
    }

    boolean hasDeferred() {
        return deferred != null;
    }

    /** The deferred request, once. */
    @Nullable I takeDeferred() {
        I request = deferred;
        deferred = null;
        return request;
    }

    /** The command in flight. */
    Command.@Nullable Keyed command() {
        return command;
    }

    /** What gets the result, if the request in flight is no command of the engine. */
    @Nullable Consumer<Effect> receiver() {
        return receiver;
    }

    /** Whether a request is in flight. */
    boolean isOccupied() {
        return command != null || receiver != null;
    }

    /** Whether an effect is the result of the request in flight. */
    boolean isResult(Effect effect) {
        return effect.request() == number
                && isOccupied()
                // a grant that arrives while cancelling is released by the cancellation,
                // whose effect is the result
                && !(state == State.CANCELLING && effect instanceof Effect.Granted);
    }

    // ---- transitions

    void move(Event event) {
        State next = next(event);
        if (event == Event.STREAM && next == State.STREAMING) {
            afterStream = state == State.BACKLOG ? State.READY : state;
        }
        if (event == Event.RESULT || event == Event.CLOSE) {
            command = null;
            receiver = null;
        }
        if (event == Event.CLOSE) {
            deferred = null;
        }
        state = next;
    }

    private State next(Event event) {
        return switch (state) {
            case READY ->
                    switch (event) {
                        case SUBMIT -> State.SUBMITTED;
                        case DEFER -> State.DEFERRED;
                        case PAUSE -> State.BACKLOG;
                        case CONTINUE -> State.READY;
                        case STREAM -> State.STREAMING;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case BACKLOG ->
                    switch (event) {
                        case CONTINUE -> State.READY;
                        case STREAM -> State.STREAMING;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case DEFERRED ->
                    switch (event) {
                        case RETRY -> State.READY;
                        case STREAM -> State.STREAMING;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case SUBMITTED ->
                    switch (event) {
                        case APPLY -> State.BLOCKED;
                        case RESULT -> State.READY;
                        case STREAM -> State.STREAMING;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case BLOCKED ->
                    switch (event) {
                        case CANCEL -> State.CANCELLING;
                        case RESULT -> State.READY;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case CANCELLING ->
                    switch (event) {
                        case RESULT -> State.READY;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case STREAMING ->
                    switch (event) {
                        case END_STREAM -> afterStream;
                        case CLOSE -> State.CLOSING;
                        default -> throw unexpected(event);
                    };
            case CLOSING -> event == Event.LINGER ? State.LINGERING : State.CLOSING;
            case LINGERING -> State.LINGERING;
        };
    }

    private IllegalStateException unexpected(Event event) {
        return new IllegalStateException(event + " in state " + state);
    }
}
