package io.holdfast.cluster.link;

import java.io.IOException;

/** The other node has got a call and did not do it. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String reason) {
        super(reason);
    }
}
