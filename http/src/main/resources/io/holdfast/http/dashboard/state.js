// What all views share: who we are to the server, and which time to show.

import {access, contact} from './api.js';

const STALE_MS = 9000;

export const state = {
    /** The last answer of /v1/overview. */
    overview: null,
    /** Deadlocks, as of the last look. */
    cycles: 0,
    /** How many of them are more than possible. */
    certain: 0,
    /** The keys in them, by their id, and whether one of a key's deadlocks is more than possible. */
    deadlocked: new Map(),
    stale: false,
};
/** Where the page's clock stands while what is shown is old. */
let stopped = 0;

/** Whether a cycle is a deadlock for certain: who does several things at once may still release what it holds. */
export function isCertain(cycle) {
    return !cycle.some(member => member.concurrent);
}

export function mayAct() {
    return state.overview?.admin === true;
}

/** The page's clock. It stands still while what is shown is old: a countdown would be a guess then. */
export function now() {
    return state.stale ? stopped : performance.now();
}

/** Whether what a view shows is old: because its own request fails, or nobody answers at all. */
export function judgeStale(poller) {
    const time = performance.now();
    const cut = contact.failing || (!document.hidden && time - contact.last > STALE_MS);
    const since = access.needed ? null : cut ? contact.last : poller?.oldSince(time) ?? null;
    if (since !== null && !state.stale) {
        stopped = since; // and stays there, whatever else fails
    }
    state.stale = since !== null;
    return state.stale ? time - stopped : 0;
}
