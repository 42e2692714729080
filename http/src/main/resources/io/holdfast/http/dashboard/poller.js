// Repeats a request: one at a time, less often while the tab is hidden or the server is unavailable, never in a busy
// loop.

import {access} from './api.js';

const HIDDEN_MS = 30_000;
const MIN_DELAY_MS = 300;
const LATE_MS = 9000;

/** Delay after a number of failures, with jitter, so that pages that lost the same server do not reconnect at once. */
export function backOff(failures) {
    return Math.min(15_000, 1000 * 2 ** Math.min(failures - 1, 4)) * (0.7 + 0.6 * Math.random());
}

export class Poller {
    #task;
    #pace;
    #timer = 0;
    #due = 0;
    #running = null;
    #again = false;
    #next = false;
    #failures = 0;
    #ended = 0;
    #on = false;
    #began = 0;
    #good = 0;
    /** Why the last request failed, or null. */
    failure = null;

    /**
     * @param pace returns the delay until the next request, given the duration of the last (both in milliseconds)
     */
    constructor(task, pace) {
        this.#task = task;
        this.#pace = pace;
    }

    start() {
        this.#on = true;
        this.failure = null;
        this.#good = performance.now();
        this.#arm(0);
    }

    stop() {
        this.#on = false;
        clearTimeout(this.#timer);
        this.#timer = 0;
        this.#running?.abort();
        this.#running = null;
        this.#again = false;
        this.#next = false;
    }

    /**
     * Something changed: repeats the request earlier than scheduled, but not more often than every `least`
     * milliseconds.
     */
    soon(least = MIN_DELAY_MS) {
        if (!this.#on || document.hidden) {
            return;
        }
        if (this.#running) {
            this.#again = true;
            return;
        }
        this.#arm(Math.max(0, this.#ended + least - performance.now()));
    }

    /** Repeats the request at once, or as soon as the response that is awaited has arrived. */
    now() {
        if (!this.#on) {
            return;
        }
        if (this.#running) {
            this.#next = true;
        } else {
            this.#arm(0);
        }
    }

    /** Since when the data is old, because a response failed or is overdue; null while it is current. */
    oldSince(time) {
        if (!this.#on) {
            return null;
        }
        const late = !document.hidden && time - (this.#running ? this.#began : this.#due) > LATE_MS;
        return this.failure || late ? this.#good : null;
    }

    #arm(delay) {
        const due = performance.now() + delay;
        if (this.#timer && this.#due <= due) {
            return;
        }
        clearTimeout(this.#timer);
        this.#due = due;
        this.#timer = setTimeout(() => this.#run(), delay);
    }

    async #run() {
        this.#timer = 0;
        if (!this.#on || this.#running || access.needed) {
            return;
        }
        const running = new AbortController();
        this.#running = running;
        const began = performance.now();
        this.#began = began;
        let delay;
        try {
            await this.#task(running.signal, began);
            if (this.#running === running) {
                this.failure = null;
                this.#good = performance.now();
            }
            this.#failures = 0;
            delay = this.#pace(performance.now() - began);
        } catch (error) {
            if (running.signal.aborted) {
                return;
            }
            if (!error.status && error.name !== 'TypeError' && error.name !== 'TimeoutError') {
                console.error(error);
            }
            if (error.status !== 401) { // the user is asked for a token
                this.failure = error;
            }
            this.#failures++;
            delay = backOff(this.#failures);
            this.#again = false;
        }
        if (this.#running !== running) {
            return;
        }
        this.#running = null;
        this.#ended = performance.now();
        if (document.hidden) {
            delay = Math.max(delay, HIDDEN_MS);
        }
        if (this.#on) {
            this.#arm(this.#next ? 0 : delay);
            this.#next = false;
            if (this.#again) {
                this.#again = false;
                this.soon(Math.min(delay, 1000));
            }
        }
    }
}
