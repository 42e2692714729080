package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;

import java.util.Map;

/** The environment variables, and how a command connects; tests replace both. */
record ClientEnvironment(Map<String, String> environment, Opener opener) {
    /** Connects to a server. */
    interface Opener {
        Holdfast open(ServerTarget serverTarget);
    }
}
