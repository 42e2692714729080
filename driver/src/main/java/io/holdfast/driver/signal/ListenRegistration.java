package io.holdfast.driver.signal;

/**
 * That somebody listens to a topic.
 *
 * @param joined grows with each registration of the hub
 */
record ListenRegistration(
        Subscriber subscriber, PatternAndGroup topic, GroupMembers members, long joined) {}
