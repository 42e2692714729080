package io.holdfast.cluster.raft;

import io.holdfast.cluster.rpc.RpcSocketFactory;

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
public final class SocketRpcType implements RpcType {
    private static final String SOCKETS = "holdfast.sockets";
    private static final String PLACE = "holdfast.place";

    /** Where a server is, and what it is asked for by others. */
    interface ServerContext {
        InetSocketAddress address();

        /** Another node wants an entry in the log. */
        void proposed(byte[] entry, Runnable refused);

        HardStateFile hardState();

        void add(SocketRaftServerRpc rpc);
    }

    @Override
    public String name() {
        return SocketRpcType.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    /** How a server or a client is told how to talk. */
    static void put(Parameters parameters, RpcSocketFactory rpcSocketFactory) {
        parameters.put(SOCKETS, rpcSocketFactory, RpcSocketFactory.class);
    }

    static RpcSocketFactory sockets(Parameters parameters) {
        return parameters.get(SOCKETS, RpcSocketFactory.class);
    }

    static void put(Parameters parameters, ServerContext serverContext) {
        parameters.put(PLACE, serverContext, ServerContext.class);
    }

    static InetSocketAddress address(@Nullable RaftPeer peer) {
        if (peer == null) {
            throw new UncheckedIOException(new IOException("the address of the peer is not known"));
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
            return new SocketRpcType();
        }

        @Override
        public RaftClientRpc newRaftClientRpc(ClientId clientId, RaftProperties properties) {
            return new SocketRaftClientRpc(sockets(parameters), properties);
        }

        private ServerContext place() {
            return parameters.get(PLACE, ServerContext.class);
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            SocketRaftServerRpc rpc =
                    new SocketRaftServerRpc(
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
            return new EagerLogAppender(server, state, follower);
        }
    }
}
