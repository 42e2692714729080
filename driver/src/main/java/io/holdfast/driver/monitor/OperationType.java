package io.holdfast.driver.monitor;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** The operations of clients by which metrics are counted. */
public enum OperationType {
    /**
     * All ways to get a slot: acquire, enqueue and await, try-acquire, request an offer, re-assert.
     */
    ACQUIRE,
    RELEASE,
    RENEW,
    COUNTER,
    VALUE,
    LIST;

    /** The spelling in metrics. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The type of a command; null if it is not counted. */
    static @Nullable OperationType of(Command.Keyed command) {
        return switch (command) {
            case Command.Acquire _,
                    Command.Enqueue _,
                    Command.Await _,
                    Command.TryAcquire _,
                    Command.RequestOffer _,
                    Command.Reassert _ ->
                    ACQUIRE;
            case Command.Release _, Command.ReleaseBySession _ -> RELEASE;
            case Command.Renew _ -> RENEW;
            case Command.Data data -> of(data.operation());
            case Command.Inspect _,
                    Command.ForceRelease _,
                    Command.Cancel _,
                    Command.Confirm _,
                    Command.Decline _,
                    Command.CancelOrRelease _,
                    Command.QueryStatus _,
                    Command.Suspend _,
                    Command.Resume _ ->
                    null;
        };
    }

    private static OperationType of(DataOperation operation) {
        return switch (operation) {
            case DataOperation.Increment _,
                    DataOperation.Decrement _,
                    DataOperation.GetCounter _,
                    DataOperation.SetCounter _ ->
                    COUNTER;
            case DataOperation.SetValue _, DataOperation.GetValue _, DataOperation.DeleteValue _ ->
                    VALUE;
            case DataOperation.Push _,
                    DataOperation.Pop _,
                    DataOperation.Length _,
                    DataOperation.Range _ ->
                    LIST;
        };
    }
}
