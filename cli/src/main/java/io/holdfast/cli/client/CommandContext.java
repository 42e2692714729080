package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;

import java.util.Map;

/** What a command finds around it. */
record CommandContext(Map<String, String> environment, Opener opener) {
    /** Connects. */
    interface Opener {
        Holdfast open(ServerTarget serverTarget);
    }
}
