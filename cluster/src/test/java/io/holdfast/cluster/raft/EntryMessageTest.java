package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("A proposal to Ratis")
class EntryMessageTest {
    private static final int TRIAL = ClusterVersion.LATEST + 1;

    private static EntryMessage decode(LogEntry entry) throws EncodingException {
        return decode(entry, ClusterVersion.FIRST);
    }

    private static EntryMessage decode(LogEntry entry, int version) throws EncodingException {
        return EntryMessage.decode(LogEntryEncoding.encode(entry, version), TRIAL);
    }

    @Test
    void the_entry_of_combined_proposals_is_what_their_bytes_encode() throws EncodingException {
        EntryMessage combined =
                EntryMessage.batchOf(
                        List.of(
                                decode(new LogEntry.Tick()),
                                decode(new LogEntry.Batch(7, 1, List.of()))));
        assertThat(LogEntryEncoding.decode(combined.getContent().toByteArray(), TRIAL))
                .isEqualTo(combined.entry())
                .isEqualTo(
                        new LogEntry.EntryBatch(
                                List.of(new LogEntry.Tick(), new LogEntry.Batch(7, 1, List.of()))));
    }

    @Test
    void combined_proposals_of_different_versions_are_an_entry_of_the_highest()
            throws EncodingException {
        EntryMessage combined =
                EntryMessage.batchOf(
                        List.of(
                                decode(new LogEntry.Tick()),
                                decode(new LogEntry.Tick(), TRIAL),
                                decode(new LogEntry.Tick())));
        byte[] bytes = combined.getContent().toByteArray();
        assertThat(LogEntryEncoding.decode(bytes, TRIAL)).isEqualTo(combined.entry());
        assertThatThrownBy(() -> LogEntryEncoding.decode(bytes, ClusterVersion.LATEST))
                .hasMessageContaining("an entry has the version 2");
    }

    @Test
    void a_single_proposal_is_not_wrapped_in_an_entry_batch() throws EncodingException {
        EntryMessage single = decode(new LogEntry.Tick());
        assertThat(EntryMessage.batchOf(List.of(single))).isSameAs(single);
    }

    @Test
    void a_proposal_of_an_entry_batch_is_refused_because_it_cannot_be_combined_with_others() {
        LogEntry batch = new LogEntry.EntryBatch(List.of(new LogEntry.Tick()));
        assertThatThrownBy(() -> decode(batch)).isInstanceOf(EncodingException.class);
    }

    @Test
    void the_text_for_log_messages_has_no_contents() throws EncodingException {
        assertThat(decode(new LogEntry.Tick())).hasToString("2 bytes");
    }
}
