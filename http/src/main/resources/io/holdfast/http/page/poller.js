// Repeats a request: one at a time, less often while the tab is hidden or the server is away, never in a busy loop.

import {access} from './api.js';

const HIDDEN_MS = 30_000;
const SOONEST_MS = 300;

export class Poller {
    #task;
    #pace;
    #timer = 0;
    #due = 0;
    #running = null;
    #again = false;
    #failures = 0;
    #ended = 0;
    #on = false;

    /** @param pace how many milliseconds to wait after an answer, given how long the answer took */
    constructor(task, pace) {
        this.#task = task;
        this.#pace = pace;
    }

    start() {
        this.#on = true;
        this.#arm(0);
    }

    stop() {
        this.#on = false;
        clearTimeout(this.#timer);
        this.#timer = 0;
        this.#running?.abort();
        this.#running = null;
        this.#again = false;
    }

    /** Something changed: ask again before the usual time, but not more often than is good for anybody. */
    soon(least = SOONEST_MS) {
        if (!this.#on || document.hidden) {
            return;
        }
        if (this.#running) {
            this.#again = true;
            return;
        }
        this.#arm(Math.max(0, this.#ended + least - performance.now()));
    }

    now() {
        if (this.#on && !this.#running) {
            this.#arm(0);
        }
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
        let delay;
        try {
            await this.#task(running.signal, began);
            this.#failures = 0;
            delay = this.#pace(performance.now() - began);
        } catch (error) {
            if (running.signal.aborted) {
                return;
            }
            if (!error.status && error.name !== 'TypeError' && error.name !== 'TimeoutError') {
                console.error(error);
            }
            this.#failures++;
            delay = Math.min(15_000, 1000 * 2 ** Math.min(this.#failures - 1, 4));
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
            this.#arm(delay);
            if (this.#again) {
                this.#again = false;
                this.soon(Math.min(delay, 1000));
            }
        }
    }
}
