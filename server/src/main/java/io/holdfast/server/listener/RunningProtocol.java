package io.holdfast.server.listener;

/** A protocol on one server, with what its listeners share. */
@FunctionalInterface
public interface RunningProtocol {
    /** Binds a listener; no connection is accepted before all listeners are bound. */
    void bind(ListenEndpoint endpoint, ListenerBinder binder) throws StartException;
}
