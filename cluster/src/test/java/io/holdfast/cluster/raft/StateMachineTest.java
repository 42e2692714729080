package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A committed entry")
class StateMachineTest {
    private static final EntryTime TIME = EntryTime.of(5);
    private static final ByteString MALFORMED =
            StampedEntry.encode(TIME, ByteString.copyFrom(new byte[] {-1}));

    private static TransactionContext transaction(ByteString data, @Nullable Object context) {
        var entry =
                LogEntryProto.newBuilder()
                        .setStateMachineLogEntry(
                                StateMachineLogEntryProto.newBuilder().setLogData(data))
                        .build();
        return TransactionContext.newBuilder()
                .setServerRole(RaftPeerRole.LEADER)
                .setStateMachine(new BaseStateMachine())
                .setLogEntry(entry)
                .setStateMachineContext(context)
                .build();
    }

    /** Shown with bytes that cannot be decoded. */
    @Test
    void is_not_decoded_again_if_the_transaction_has_it() throws Exception {
        var decoded = new StampedEntry(TIME, new LogEntry.Tick());
        assertThat(StateMachine.stamped(transaction(MALFORMED, decoded))).isSameAs(decoded);
    }

    @Test
    void is_decoded_if_the_transaction_does_not_have_it() throws Exception {
        LogEntry tick = new LogEntry.Tick();
        ByteString data =
                StampedEntry.encode(TIME, ByteString.copyFrom(LogEntryEncoding.encode(tick)));
        assertThat(StateMachine.stamped(transaction(data, null)))
                .isEqualTo(new StampedEntry(TIME, tick));
        assertThatThrownBy(() -> StateMachine.stamped(transaction(MALFORMED, null)))
                .isInstanceOf(EncodingException.class);
    }
}
