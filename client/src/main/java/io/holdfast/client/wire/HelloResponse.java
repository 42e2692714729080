package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The server's answer to {@code hello}: the session.
 *
 * @param secret to resume it; changes with each connection
 * @param graceNanos how long it outlives its connection
 * @param leaseNanos the server's default lease
 * @param readNanos how often the server wants to hear from us
 * @param resumed whether it is the one that was asked for
 */
record HelloResponse(
        String session,
        String secret,
        long graceNanos,
        long leaseNanos,
        long readNanos,
        boolean resumed) {

    /** What to send. Only what the server gave before may be resumed. */
    static String argument(WireConfig config, @Nullable HelloResponse resume) {
        return argument(config.grace(), config.label())
                + (resume == null ? "" : " resume=" + resume.session + ":" + resume.secret);
    }

    private static String argument(Duration grace, String label) {
        return "1 grace="
                + WireDuration.text(grace.toNanos())
                + (label.isEmpty() ? "" : " label=" + label);
    }

    /** Whether the answer is that of a server with tagged mode. */
    static boolean isTagged(String answer) {
        return answer.startsWith("ok 1 ");
    }

    /**
     * The same, where it must be that or a plain dflockd.
     *
     * @throws ServiceException if the server will have nobody now, or not us
     */
    static boolean isTaggedOrPlain(String answer, String address) throws ServiceException {
        if (answer.equals("error_auth")) {
            throw new ServiceException(
                    ServiceException.Kind.AUTHENTICATION,
                    address + " requires an auth token",
                    "",
                    null);
        }
        if (!isTagged(answer) && !answer.equals("error")) {
            String word = answer.split(" ", 2)[0];
            throw LineSocket.unreachable(address, "it answered " + word, null);
        }
        return isTagged(answer);
    }

    static HelloResponse parse(String answer) throws BadLineException {
        String session = "";
        String secret = "";
        long grace = 0;
        long lease = 0;
        long read = 0;
        boolean resumed = false;
        String[] words = answer.split(" ", -1);
        for (int i = 2; i < words.length; i++) {
            String word = words[i];
            String value = word.substring(word.indexOf('=') + 1);
            if (word.equals("resumed")) {
                resumed = true;
            } else if (word.startsWith("session=")) {
                session = value;
            } else if (word.startsWith("secret=")) {
                secret = value;
            } else if (word.startsWith("grace=")) {
                grace = WireDuration.parse(value);
            } else if (word.startsWith("lease=")) {
                lease = WireDuration.parse(value);
            } else if (word.startsWith("read=")) {
                read = WireDuration.parse(value);
            }
        }
        if (!isTagged(answer) || session.isEmpty() || secret.isEmpty()) {
            throw new BadLineException("a hello without a session");
        }
        return new HelloResponse(session, secret, grace, lease, read, resumed);
    }

    @Override
    public String toString() {
        return "session " + session;
    }
}
