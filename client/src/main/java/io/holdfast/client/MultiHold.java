package io.holdfast.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The holds of several keys, lost as soon as one of them is lost. */
final class MultiHold extends BaseHold {
    private final List<RenewingHold> parts;

    MultiHold(ClientCore core, List<RenewingHold> parts, HoldOptions options) {
        super(core, options);
        this.parts = List.copyOf(parts);
        for (var part : this.parts) {
            part.internalAction(this::lose);
        }
    }

    @Override
    void ended() {}

    @Override
    void restartLease() {
        parts.forEach(RenewingHold::restartLease);
    }

    @Override
    void release() {
        finish();
        parts.forEach(RenewingHold::release);
    }

    @Override
    public String key() {
        return parts.stream().map(RenewingHold::key).collect(Collectors.joining(","));
    }

    @Override
    public Duration lease() {
        return parts.stream()
                .map(RenewingHold::lease)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public OptionalLong fence() {
        return OptionalLong.empty();
    }

    @Override
    public String token() {
        throw new UnsupportedOperationException(
                "a multi lock has no token of its own: use those of its parts()");
    }

    @Override
    public boolean isHeld() {
        return heldForAtLeast(Duration.ZERO);
    }

    @Override
    public boolean heldForAtLeast(Duration span) {
        return isOpen() && parts.stream().allMatch(part -> part.heldForAtLeast(span));
    }

    @Override
    public void renew() {
        ensureNotLost();
        parts.forEach(RenewingHold::renew);
    }

    @Override
    public void renew(Duration lease) {
        ensureNotLost();
        parts.forEach(part -> part.renew(lease));
    }

    @Override
    public List<Hold> parts() {
        return List.copyOf(parts);
    }

    @Override
    public void close() {
        closeAfter(Duration.ZERO);
    }

    /** Closes the parts also after a loss: the other parts are still held. */
    @Override
    public void closeAfter(Duration span) {
        finish();
        var responses = new ArrayList<CompletableFuture<?>>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            var response =
                    parts.get(i).startClose(span.isNegative() ? 0 : SaturatedNanos.saturated(span));
            if (response != null) {
                responses.add(response);
            }
        }
        ClientCore.await(
                CompletableFuture.allOf(responses.toArray(new CompletableFuture<?>[0])),
                core.releaseTimeoutNanos());
    }
}
