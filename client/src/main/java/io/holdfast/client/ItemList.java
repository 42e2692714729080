package io.holdfast.client;

import java.util.List;
import java.util.Optional;

/**
 * A list of strings that is stored by the server.
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

    /** Adds at the front; returns the new length. */
    long pushFirst(String item);

    /** Adds at the end; returns the new length. */
    long pushLast(String item);

    Optional<String> popFirst();

    Optional<String> popLast();

    long size();

    /**
     * The items from index {@code first} to {@code last}, both inclusive; negative indexes count
     * from the end.
     */
    List<String> range(long first, long last);
}
