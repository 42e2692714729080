package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.jspecify.annotations.Nullable;

/**
 * What one client does with signals. Its requests are served one after the other, and it is used by
 * one thread at a time.
 *
 * <p>A request returns its result; or null, and then the result is added to the client's mailbox
 * later, which is woken. The result is {@code Changed} for listen and unlisten, {@code Counted} for
 * emit, or {@code Refused}. No result comes after the end of the client's session.
 */
public interface SignalClient {
    /** Delivers the client's signals to a listener. Called once, before {@link #listen}. */
    void deliverTo(SignalListener signalListener);

    /**
     * Starts to listen; idempotent.
     *
     * @param group empty for no group
     */
    @Nullable Effect listen(long request, Key pattern, ByteString group);

    /** Ends the registration, if there is one. */
    @Nullable Effect unlisten(long request, Key pattern, ByteString group);

    /** Emits a signal; the result is the number of recipients. */
    @Nullable Effect emit(long request, Key channel, ByteString payload);

    /**
     * Delivers no more signals. The registrations end now, soon, or with the session of the client.
     */
    void stopListening();

    /** Stops listening, and ends what was opened for this client alone. */
    void close();
}
