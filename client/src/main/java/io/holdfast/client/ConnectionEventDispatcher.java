package io.holdfast.client;

import io.holdfast.client.ConnectionEvent.State;
import io.holdfast.client.service.ServiceEvents;

import java.util.List;
import java.util.function.Consumer;

/** Tells users what happens to a connection, in order, not on the thread that found out. */
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

    private void tell(State state) {
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
        tell(State.CONNECTED);
    }

    @Override
    public void suspended() {
        tell(State.SUSPENDED);
    }

    @Override
    public void restored() {
        tell(State.RESTORED);
    }

    @Override
    public void lost() {
        tell(State.LOST);
    }

    @Override
    public void reconnected() {
        tell(State.RECONNECTED);
    }
}
