package io.holdfast.cli;

/** The name and version of this build. */
public final class Version {
    private Version() {}

    public static String line() {
        String version = Version.class.getPackage().getImplementationVersion();
        return "holdfast " + (version == null ? "development" : version);
    }
}
