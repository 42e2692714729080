package io.holdfast.engine.lock;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.data.DataContents;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The state of an engine that affects results, as bytes: equal for equal states, whatever happened
 * before. Unlike {@link LockEngine#write} it orders keys by their bytes and omits the deadlines of
 * idle keys, which affect no result.
 */
public final class EngineSnapshot {
    private final EngineState state;
    private final DataOutputStream out;

    private EngineSnapshot(EngineState state, DataOutputStream out) {
        this.state = state;
        this.out = out;
    }

    public static byte[] of(LockEngine engine) {
        var bytes = new ByteArrayOutputStream();
        try {
            new EngineSnapshot(engine.state(), new DataOutputStream(bytes)).write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private void write() throws IOException {
        out.writeLong(state.nowNanos);
        for (ResourceKind resourceKind : ResourceKind.values()) {
            List<Resource> resources = new ArrayList<>(state.space(resourceKind).values());
            resources.sort(Comparator.comparing(resource -> resource.key));
            out.writeInt(resources.size());
            for (Resource resource : resources) {
                write(resource);
            }
        }
        DataContents.write(state.data, out);
    }

    private void write(Resource resource) throws IOException {
        DataContents.write(resource, out);
        out.writeLong(resource.limit());
        out.writeBoolean(resource.retained);
        out.writeBoolean(resource.suspended);
        out.writeLong(resource.heldSince);
        out.writeInt(resource.holders());
        for (Hold hold : resource.holds()) {
            write(hold);
        }
        List<Waiter> waiters = new ArrayList<>();
        resource.eachWait(waiters::add);
        out.writeInt(waiters.size());
        for (Waiter waiter : waiters) {
            write(waiter);
        }
    }

    private void write(Hold hold) throws IOException {
        out.writeLong(hold.session.id);
        out.writeBoolean(state.sessions.get(hold.session.id) == hold.session);
        out.writeBoolean(hold.session.enqueued(hold.resource) == hold);
        out.writeBoolean(hold instanceof OfferHold);
        if (hold instanceof OfferHold offer) {
            out.writeBoolean(offer.isOffer());
            out.writeUTF(offer.mode().name());
            out.writeLong(offer.requestedNanos());
        } else {
            write(hold.attributes());
        }
        out.writeLong(hold.tokenSentBy);
        out.writeLong(hold.request);
        out.writeLong(hold.fence);
        out.writeLong(hold.salt);
        out.writeLong(hold.leaseNanos);
        write((LockDeadline) hold);
        out.writeLong(hold.sinceNanos);
        Successor successor = hold.successor;
        out.writeBoolean(successor != null);
        if (successor != null) {
            out.writeLong(successor.session());
            out.writeLong(successor.request());
            out.writeLong(successor.atNanos());
        }
    }

    private void write(Waiter waiter) throws IOException {
        out.writeLong(waiter.session.id);
        out.writeBoolean(waiter.enqueued);
        out.writeBoolean(waiter instanceof OfferWaiter);
        if (waiter instanceof OfferWaiter offer) {
            out.writeUTF(offer.mode().name());
            out.writeLong(offer.confirmNanos);
        } else {
            write(waiter.attributes());
        }
        out.writeLong(waiter.request);
        out.writeLong(waiter.salt);
        out.writeLong(waiter.leaseNanos);
        write((LockDeadline) waiter);
        out.writeLong(waiter.sinceNanos);
    }

    private void write(HoldAttributes holdAttributes) throws IOException {
        out.writeUTF(holdAttributes.mode().name());
        out.writeBoolean(holdAttributes.bound());
        out.writeBoolean(holdAttributes.tracked());
    }

    private void write(LockDeadline deadline) throws IOException {
        out.writeLong(state.deadlines.timeOf(deadline));
        out.writeLong(deadline.isScheduled() ? deadline.sequence() : 0);
    }
}
