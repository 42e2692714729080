package io.holdfast.driver.signal;

/**
 * That somebody listens to a topic.
 *
 * @param joined grows with each registration of the hub
 */
record Registration(Subscriber subscriber, Topic topic, Members members, long joined) {}
