package io.holdfast.server;

import java.nio.file.Path;

/** Certificate chain and private key, both PEM. */
public record TlsFiles(Path certificate, Path key) {}
