package io.holdfast.driver.signal;

/**
 * The registration of a listener for a topic.
 *
 * @param joined the order among all registrations of the hub
 */
record ListenRegistration(
        Subscriber subscriber, PatternAndGroup topic, TopicListeners members, long joined) {}
