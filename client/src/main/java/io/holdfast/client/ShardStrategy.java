package io.holdfast.client;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * Selects which of several independent servers a key belongs to. All clients must use the same
 * strategy.
 *
 * {@snippet :
 * ShardStrategy byTenant = (key, shards) -> ShardStrategy.CRC32.shardOf(key.split("/")[0], shards);
 * System.out.println(byTenant.shardOf("acme/a", 5) == byTenant.shardOf("acme/b", 5)); // true
 * }
 */
public interface ShardStrategy {
    /** CRC-32 (IEEE) of the key, modulo the number of servers, as the other dflockd clients do. */
    ShardStrategy CRC32 =
            (key, shards) -> {
                var crc = new CRC32();
                crc.update(key.getBytes(StandardCharsets.UTF_8));
                return (int) (crc.getValue() % shards);
            };

    /** Returns the index of the server, from 0 to {@code shards - 1}. */
    int shardOf(String key, int shards);
}
