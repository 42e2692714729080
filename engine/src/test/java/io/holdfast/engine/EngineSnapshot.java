package io.holdfast.engine;

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
final class EngineSnapshot {
    private final EngineState state;
    private final DataOutputStream out;

    private EngineSnapshot(EngineState state, DataOutputStream out) {
        this.state = state;
        this.out = out;
    }

    static byte[] of(LockEngine engine) {
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
        DataStore data = state.data;
        for (CounterEntry counterEntry : sorted(data.counters)) {
            write(counterEntry);
            out.writeLong(counterEntry.value);
        }
        for (ValueEntry valueEntry : sorted(data.values)) {
            write(valueEntry);
            write(valueEntry.content.bytes());
            out.writeBoolean(valueEntry.expires);
            out.writeLong(valueEntry.expires ? data.expiries.timeOf(valueEntry) : 0);
        }
        for (ListEntry list : sorted(data.lists)) {
            write(list);
            out.writeInt(list.size());
            for (ByteString item : list.range(0, list.size())) {
                write(item.bytes());
            }
        }
    }

    private <E extends DataEntry> List<E> sorted(DataEntries<E> dataEntries) throws IOException {
        List<E> sorted = new ArrayList<>();
        dataEntries.inOrder().forEach(sorted::add);
        sorted.sort(Comparator.comparing(entry -> entry.key));
        out.writeInt(sorted.size());
        return sorted;
    }

    /** What every state of a key has. */
    private void write(KeyedState keyedState) throws IOException {
        out.writeUTF(keyedState.key.namespace().name());
        write(keyedState.key.bytes());
        out.writeLong(keyedState.lastActivityNanos);
    }

    private void write(Resource resource) throws IOException {
        write((KeyedState) resource);
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

    private void write(byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
