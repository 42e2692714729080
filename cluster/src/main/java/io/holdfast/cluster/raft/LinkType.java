package io.holdfast.cluster.raft;

import io.holdfast.cluster.link.Sockets;

import org.apache.ratis.client.ClientFactory;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;

/** Ratis over connections of our own. Ratis makes it by its name. */
public final class LinkType implements RpcType {
    private static final String SOCKETS = "holdfast.sockets";
    private static final String PLACE = "holdfast.place";

    /** Where a server is, and what it is asked for by others. */
    interface Place {
        InetSocketAddress address();

        /** Another node wants an entry in the log. */
        void proposed(byte[] entry, Runnable refused);

        HardStateFile hardState();

        void add(LinkRpc rpc);
    }

    @Override
    public String name() {
        return LinkType.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    /** How a server or a client is told how to talk. */
    static void put(Parameters parameters, Sockets sockets) {
        parameters.put(SOCKETS, sockets, Sockets.class);
    }

    static Sockets sockets(Parameters parameters) {
        return parameters.get(SOCKETS, Sockets.class);
    }

    static void put(Parameters parameters, Place place) {
        parameters.put(PLACE, place, Place.class);
    }

    static InetSocketAddress address(@Nullable RaftPeer peer) {
        if (peer == null) {
            throw new UncheckedIOException(new IOException("nobody knows where it is"));
        }
        String text = peer.getAddress();
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return InetSocketAddress.createUnresolved(
                host, Integer.parseInt(text.substring(colon + 1)));
    }

    private static final class Factory implements ServerFactory, ClientFactory {
        private final Parameters parameters;

        Factory(Parameters parameters) {
            this.parameters = parameters;
        }

        @Override
        public RpcType getRpcType() {
            return new LinkType();
        }

        @Override
        public RaftClientRpc newRaftClientRpc(ClientId clientId, RaftProperties properties) {
            return new LinkClientRpc(sockets(parameters), properties);
        }

        private Place place() {
            return parameters.get(PLACE, Place.class);
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            LinkRpc rpc =
                    new LinkRpc(
                            server,
                            place().address(),
                            sockets(parameters),
                            place().hardState(),
                            place()::proposed);
            place().add(rpc);
            return rpc;
        }

        @Override
        public LogAppender newLogAppender(
                RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            return new PromptAppender(server, state, follower);
        }
    }
}
