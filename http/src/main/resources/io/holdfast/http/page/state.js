// What all views share: who we are to the server, and which time to show.

import {access, contact} from './api.js';

const STALE_MS = 9000;

export const state = {
    /** The last answer of /v1/overview. */
    overview: null,
    /** Deadlocks, as of the last look. */
    cycles: 0,
    stale: false,
};

export function mayAct() {
    return state.overview?.admin === true;
}

/** The page's clock. It stands still while the server does not answer: a countdown would be a guess then. */
export function now() {
    return state.stale ? contact.last : performance.now();
}

export function judgeStale() {
    const silent = performance.now() - contact.last;
    state.stale = !access.needed && (contact.failing || (!document.hidden && silent > STALE_MS));
    return state.stale ? silent : 0;
}
