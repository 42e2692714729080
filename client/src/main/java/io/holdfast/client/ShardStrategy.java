package io.holdfast.client;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * Which of several independent servers has a key. All clients must use the same one.
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

    /** A number from 0 to below {@code shards}. */
    int shardOf(String key, int shards);
}
