package io.holdfast.server.socketlock;

import io.holdfast.socketlock.internal.primary.ProcessIdentity;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.kqueue.KQueueDomainSocketChannel;

import java.io.IOException;

/** The process of a client, where the operating system reports it. */
final class ClientProcess {
    private ClientProcess() {}

    static ProcessIdentity of(Channel channel) {
        try {
            return switch (channel) {
                case EpollDomainSocketChannel socket ->
                        ProcessIdentity.of(socket.peerCredentials().pid());
                case KQueueDomainSocketChannel socket ->
                        ProcessIdentity.of(socket.peerCredentials().pid());
                default -> ProcessIdentity.UNKNOWN;
            };
        } catch (IOException e) {
            return ProcessIdentity.UNKNOWN;
        }
    }
}
