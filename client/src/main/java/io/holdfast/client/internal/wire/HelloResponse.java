package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The server's response to {@code hello}: the session.
 *
 * @param secret the secret that resumes the session; changes with each connection
 * @param graceNanos how long the session outlives its connection
 * @param leaseNanos the server's default lease
 * @param readNanos the server's read timeout: it closes a connection without input for this time
 * @param resumed whether the requested session was resumed
 */
record HelloResponse(
        String session,
        String secret,
        long graceNanos,
        long leaseNanos,
        long readNanos,
        boolean resumed) {

    /**
     * The argument of {@code hello}. {@code resume} is a session of an earlier response, or null
     * for a new session.
     */
    static String argument(ServiceConfig config, @Nullable HelloResponse resume) {
        return argument(config.grace(), config.label())
                + (resume == null ? "" : " resume=" + resume.session + ":" + resume.secret);
    }

    private static String argument(Duration grace, String label) {
        return "1 grace="
                + WireDuration.text(grace.toNanos())
                + (label.isEmpty() ? "" : " label=" + label);
    }

    /** Whether the response is that of a server with tagged mode. */
    static boolean isTagged(String response) {
        return response.startsWith("ok 1 ");
    }

    /**
     * The same, for a response that must come from a server with tagged mode or a plain dflockd.
     *
     * @throws ServiceException if the server accepts no clients at the moment, or not this client
     */
    static boolean isTaggedOrPlain(String response, String address) throws ServiceException {
        if (response.equals("error_auth")) {
            throw new ServiceException(
                    ServiceException.Kind.AUTHENTICATION,
                    address + " requires an auth token",
                    "",
                    null);
        }
        if (!isTagged(response) && !response.equals("error")) {
            String code = response.split(" ", 2)[0];
            throw LineSocket.unreachable(address, "it responded with " + code, null);
        }
        return isTagged(response);
    }

    static HelloResponse parse(String response) throws BadLineException {
        String session = "";
        String secret = "";
        long grace = 0;
        long lease = 0;
        long read = 0;
        boolean resumed = false;
        String[] fields = response.split(" ", -1);
        for (int i = 2; i < fields.length; i++) {
            String field = fields[i];
            String value = field.substring(field.indexOf('=') + 1);
            if (field.equals("resumed")) {
                resumed = true;
            } else if (field.startsWith("session=")) {
                session = value;
            } else if (field.startsWith("secret=")) {
                secret = value;
            } else if (field.startsWith("grace=")) {
                grace = WireDuration.parse(value);
            } else if (field.startsWith("lease=")) {
                lease = WireDuration.parse(value);
            } else if (field.startsWith("read=")) {
                read = WireDuration.parse(value);
            }
        }
        if (!isTagged(response) || session.isEmpty() || secret.isEmpty()) {
            throw new BadLineException("a hello without a session");
        }
        return new HelloResponse(session, secret, grace, lease, read, resumed);
    }

    @Override
    public String toString() {
        return "session " + session;
    }
}
