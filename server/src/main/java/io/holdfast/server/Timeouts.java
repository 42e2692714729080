package io.holdfast.server;

import static io.holdfast.driver.config.SettingRange.requireNotNegative;
import static io.holdfast.driver.config.SettingRange.requirePositive;

import java.time.Duration;

/**
 * Durations of the server.
 *
 * @param defaultLease the lease of requests that specify none
 * @param collectEvery how often idle keys are collected
 * @param idle how long an idle key is retained
 * @param read how long a client may take to send a line
 * @param write how long a client may take to receive a response; zero is no timeout
 * @param shutdown how long a shutdown waits for holders; zero is no timeout
 * @param maxSessionGrace how long a session in tagged mode may outlive its connection at most;
 *     zero: not at all
 */
public record Timeouts(
        Duration defaultLease,
        Duration collectEvery,
        Duration idle,
        Duration read,
        Duration write,
        Duration shutdown,
        Duration maxSessionGrace) {
    public Timeouts {
        requirePositive("default-lease-ttl", defaultLease);
        requirePositive("gc-interval", collectEvery);
        requireNotNegative("gc-max-idle", idle);
        requirePositive("read-timeout", read);
        requireNotNegative("write-timeout", write);
        requireNotNegative("shutdown-timeout", shutdown);
        requireNotNegative("max-session-grace", maxSessionGrace);
    }

    public static Builder builder() {
        return new Builder();
    }

    public static final class Builder {
        private Duration defaultLease = Duration.ofSeconds(33);
        private Duration collectEvery = Duration.ofSeconds(5);
        private Duration idle = Duration.ofSeconds(60);
        private Duration read = Duration.ofSeconds(23);
        private Duration write = Duration.ofSeconds(5);
        private Duration shutdown = Duration.ofSeconds(30);
        private Duration maxSessionGrace = Duration.ofSeconds(60);

        private Builder() {}

        public Builder defaultLease(Duration value) {
            defaultLease = value;
            return this;
        }

        public Builder collectEvery(Duration value) {
            collectEvery = value;
            return this;
        }

        public Builder idle(Duration value) {
            idle = value;
            return this;
        }

        public Builder read(Duration value) {
            read = value;
            return this;
        }

        public Builder write(Duration value) {
            write = value;
            return this;
        }

        public Builder shutdown(Duration value) {
            shutdown = value;
            return this;
        }

        public Builder maxSessionGrace(Duration value) {
            maxSessionGrace = value;
            return this;
        }

        public Timeouts build() {
            return new Timeouts(
                    defaultLease, collectEvery, idle, read, write, shutdown, maxSessionGrace);
        }
    }
}
