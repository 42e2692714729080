package io.holdfast.server.socketlock;

import io.holdfast.client.socketlock.seat.ProcessName;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.kqueue.KQueueDomainSocketChannel;

import java.io.IOException;

/** Which process made a connection, as far as the system tells. */
final class PeerProcess {
    private PeerProcess() {}

    static ProcessName of(Channel channel) {
        try {
            return switch (channel) {
                case EpollDomainSocketChannel socket ->
                        ProcessName.of(socket.peerCredentials().pid());
                case KQueueDomainSocketChannel socket ->
                        ProcessName.of(socket.peerCredentials().pid());
                default -> ProcessName.UNKNOWN;
            };
        } catch (IOException e) {
            return ProcessName.UNKNOWN;
        }
    }
}
