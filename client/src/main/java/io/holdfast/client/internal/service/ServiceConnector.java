package io.holdfast.client.internal.service;

/** Connects to a service. */
@FunctionalInterface
public interface ServiceConnector {
    LockService connect(ServiceConfig config, ServiceEvents events, TimerClock timerClock)
            throws ServiceException, InterruptedException;
}
