package io.holdfast.cluster.raft;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

/**
 * Ratis over gRPC, with a way to tell followers at once how far the log is decided. By itself the
 * leader tells them with the next entry or the next heartbeat, and a client of a follower would
 * wait so long. Ratis makes it by its name.
 */
public final class PromptGrpc implements RpcType {
    private static final String APPENDERS = "holdfast.appenders";

    @Override
    public String name() {
        return PromptGrpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    /** Adds where those who talk to followers are gathered to what a server is made with. */
    static Appenders gatherIn(Parameters parameters) {
        Appenders appenders = new Appenders();
        parameters.put(APPENDERS, appenders, Appenders.class);
        return appenders;
    }

    private static final class Factory extends GrpcFactory {
        private final @Nullable Appenders appenders;

        Factory(Parameters parameters) {
            super(parameters);
            this.appenders = parameters.get(APPENDERS, Appenders.class);
        }

        @Override
        public LogAppender newLogAppender(
                RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            LogAppender appender = new PromptAppender(server, state, follower);
            if (appenders != null) {
                appenders.add(appender);
            }
            return appender;
        }
    }
}
