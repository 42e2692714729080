package io.holdfast.client;

import io.holdfast.client.ConnectionEvent.State;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.thread.SerialExecutor;

import java.util.List;
import java.util.function.Consumer;

/**
 * Publishes connection events to the user's actions: in order, on the executor and not on the
 * thread that detected them.
 */
final class ConnectionEventDispatcher implements ServiceEvents {
    private final SerialExecutor executor;
    private final List<Consumer<ConnectionEvent>> actions;
    private volatile String address;

    ConnectionEventDispatcher(
            String address, SerialExecutor executor, List<Consumer<ConnectionEvent>> actions) {
        this.address = address;
        this.executor = executor;
        this.actions = actions;
    }

    private void publish(State state) {
        var event = new ConnectionEvent(address, state);
        for (var action : actions) {
            executor.execute(() -> action.accept(event));
        }
    }

    @Override
    public void server(String current) {
        address = current;
    }

    @Override
    public void connected() {
        publish(State.CONNECTED);
    }

    @Override
    public void suspended() {
        publish(State.SUSPENDED);
    }

    @Override
    public void restored() {
        publish(State.RESTORED);
    }

    @Override
    public void lost() {
        publish(State.LOST);
    }

    @Override
    public void reconnected() {
        publish(State.RECONNECTED);
    }
}
