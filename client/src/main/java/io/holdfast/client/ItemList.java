package io.holdfast.client;

import java.util.List;
import java.util.Optional;

/**
 * A list of texts at the server.
 *
 * {@snippet :
 * ItemList jobs = holdfast.list("jobs");
 * jobs.pushLast("job 1");
 * jobs.pushLast("job 2");
 * System.out.println(jobs.range(0, -1)); // [job 1, job 2]
 * System.out.println(jobs.popFirst().orElse("none")); // job 1
 * }
 */
public interface ItemList {
    String key();

    /** Adds in front; tells the length afterwards. */
    long pushFirst(String item);

    long pushLast(String item);

    Optional<String> popFirst();

    Optional<String> popLast();

    long size();

    /** Both ends included; negative numbers count from the end. */
    List<String> range(long first, long last);
}
