package io.holdfast.driver.monitor;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** What clients ask for, as it is counted. */
public enum OperationType {
    /** All ways to get a slot: to acquire, to enqueue and wait, to claim, to ask. */
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

    /** Null for what is not counted. */
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
            case Command.Locking _ -> null;
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
