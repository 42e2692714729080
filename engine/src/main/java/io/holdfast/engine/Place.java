package io.holdfast.engine;

/** Where an enqueue has got to: still in line, or granted and not yet fetched. */
sealed interface Place permits Hold, Wait {}
