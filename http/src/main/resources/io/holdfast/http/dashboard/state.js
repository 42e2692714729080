// State that all views share: the overview, the deadlocks, and the page's clock.

import {access, contact} from './api.js';

const STALE_MS = 9000;

export const state = {
    /** The last response of /v1/overview. */
    overview: null,
    /** Number of deadlocks, possible ones included, as of the last check. */
    cycles: 0,
    /** Number of certain deadlocks. */
    certain: 0,
    /** The keys of deadlocks, by id, and whether one of a key's deadlocks is certain. */
    deadlocked: new Map(),
    stale: false,
};
/** The time at which the page's clock is stopped while the data shown is old. */
let stopped = 0;

/** Whether a cycle is certainly a deadlock: a concurrent member may still release what it holds. */
export function isCertain(cycle) {
    return !cycle.some(member => member.concurrent);
}

export function mayAct() {
    return state.overview?.admin === true;
}

/** The page's clock. It is stopped while the data shown is old, because countdowns would be guesses. */
export function now() {
    return state.stale ? stopped : performance.now();
}

/**
 * Updates whether the data shown is old: because the view's own request fails, or the server does not respond at all.
 * Returns its age in milliseconds.
 */
export function updateStale(poller) {
    const time = performance.now();
    const cut = contact.failing || (!document.hidden && time - contact.last > STALE_MS);
    const since = access.needed ? null : cut ? contact.last : poller?.oldSince(time) ?? null;
    if (since !== null && !state.stale) {
        stopped = since; // and stays, whatever else fails
    }
    state.stale = since !== null;
    return state.stale ? time - stopped : 0;
}
