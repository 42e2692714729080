package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;

@DisplayName("A committed entry")
class StateMachineTest {
    private static final EntryTime TIME = EntryTime.of(5);
    private static final ByteString MALFORMED =
            StampedEntry.encode(TIME, ByteString.copyFrom(new byte[] {-1}));

    /** As on the leader that appended the entry. */
    private static TransactionContext appended(ByteString data, StampedEntry decoded)
            throws IOException {
        RaftClientRequest request =
                RaftClientRequest.newBuilder()
                        .setClientId(ClientId.randomId())
                        .setServerId(RaftPeerId.valueOf("n1"))
                        .setGroupId(RaftGroupId.randomId())
                        .setMessage(Message.EMPTY)
                        .setType(RaftClientRequest.writeRequestType())
                        .build();
        TransactionContext transaction =
                TransactionContext.newBuilder()
                        .setClientRequest(request)
                        .setServerRole(RaftPeerRole.LEADER)
                        .setStateMachine(new BaseStateMachine())
                        .setLogData(data)
                        .setStateMachineContext(decoded)
                        .build();
        LogEntryProto _ = transaction.initLogEntry(1, 1);
        return transaction;
    }

    /** As on another node. */
    private static TransactionContext received(ByteString data) {
        return TransactionContext.newBuilder()
                .setServerRole(RaftPeerRole.FOLLOWER)
                .setStateMachine(new BaseStateMachine())
                .setLogEntry(
                        LogEntryProto.newBuilder()
                                .setStateMachineLogEntry(
                                        StateMachineLogEntryProto.newBuilder().setLogData(data))
                                .build())
                .build();
    }

    /** Shown with bytes that cannot be decoded. */
    @Test
    void is_not_decoded_again_if_the_transaction_has_it() throws Exception {
        var decoded = new StampedEntry(TIME, new LogEntry.Tick());
        assertThat(StateMachine.stamped(appended(MALFORMED, decoded), ClusterVersion.FIRST))
                .isSameAs(decoded);
    }

    @Test
    void is_decoded_if_the_transaction_does_not_have_it() throws Exception {
        LogEntry tick = new LogEntry.Tick();
        ByteString data =
                StampedEntry.encode(
                        TIME,
                        ByteString.copyFrom(LogEntryEncoding.encode(tick, ClusterVersion.FIRST)));
        assertThat(StateMachine.stamped(received(data), ClusterVersion.FIRST))
                .isEqualTo(new StampedEntry(TIME, tick));
        assertThatThrownBy(() -> StateMachine.stamped(received(MALFORMED), ClusterVersion.FIRST))
                .isInstanceOf(EncodingException.class);
    }
}
