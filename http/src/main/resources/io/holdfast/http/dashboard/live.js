// The event stream: open while the tab is visible, reopened when it fails, suspended when there are too many events.

import {access, stream} from './api.js';
import {backOff} from './poller.js';

const TYPES = 'waiting,offered,acquired,released,expired,lost,timed_out,gave_up,session_opened,session_closed,audit';
/** Maximum number of events per second: above it, polling the whole table is cheaper. */
const FLOOD = 1000;
const FLOOD_PAUSE_MS = 20_000;
/** Timeout of an idle stream: three times the default ping interval of the server. */
const IDLE_TIMEOUT_MS = 45_000;
const MAX_IDLE_TIMEOUT_MS = 600_000;
const CHECK_INTERVAL_MS = 2000;

export class Live {
    /** connecting, live, flooded, broken or paused */
    state = 'connecting';
    #onEvent;
    #abort = null;
    #timer = 0;
    #failures = 0;
    #second = 0;
    #seen = 0;
    #idleTimeout = IDLE_TIMEOUT_MS;
    #maxInterval = 0;
    #lastContact = 0;
    #lastContactWallClock = 0;

    constructor(onEvent) {
        this.#onEvent = onEvent;
        setInterval(() => this.#checkIdle(), CHECK_INTERVAL_MS);
        document.addEventListener('visibilitychange', () => this.#visibilityChanged());
    }

    start() {
        clearTimeout(this.#timer);
        if (this.#abort || access.needed || document.hidden) {
            return;
        }
        const abort = new AbortController();
        this.#abort = abort;
        let open = false;
        this.#recordContact();
        const onBytes = () => {
            if (open) {
                this.#adaptTimeout();
            }
            this.#recordContact();
            if (!open) {
                open = true;
                this.#opened();
            }
        };
        stream(`/v1/events?type=${TYPES}`, abort.signal, onBytes, (type, data) => this.#receive(type, data))
            .then(() => 'broken', () => 'broken')
            .then(state => {
                if (this.#abort === abort) {
                    this.#abort = null;
                    this.#retryLater(state, backOff(++this.#failures));
                }
            });
    }

    stop(state = 'paused') {
        clearTimeout(this.#timer);
        const abort = this.#abort;
        this.#abort = null;
        this.state = state;
        abort?.abort();
    }

    #opened() {
        this.#failures = 0;
        this.state = 'live';
        this.#onEvent('gap', {missed: null}); // what happened before the stream began
    }

    #recordContact() {
        this.#lastContact = performance.now();
        this.#lastContactWallClock = Date.now();
    }

    /** The ping interval of the server may be longer than the default. */
    #adaptTimeout() {
        this.#maxInterval = Math.max(this.#maxInterval, performance.now() - this.#lastContact);
        this.#idleTimeout = Math.min(MAX_IDLE_TIMEOUT_MS, Math.max(IDLE_TIMEOUT_MS, 3 * this.#maxInterval));
    }

    /**
     * Reopens a stream that has received nothing for too long: its connection is dead. Both clocks are checked, because
     * either may have stopped while the computer slept. The next stream gets a longer timeout, to measure its ping
     * interval.
     */
    #checkIdle() {
        const silence = Math.max(performance.now() - this.#lastContact, Date.now() - this.#lastContactWallClock);
        if (this.#abort && silence > this.#idleTimeout) {
            this.#idleTimeout = Math.min(MAX_IDLE_TIMEOUT_MS, this.#idleTimeout * 2);
            this.stop('connecting');
            this.start();
        }
    }

    #receive(type, data) {
        const second = Math.floor(performance.now() / 1000);
        if (second !== this.#second) {
            this.#second = second;
            this.#seen = 0;
        }
        const missed = type === 'gap' ? data.missed : 1;
        this.#seen += missed;
        if (this.#seen > FLOOD) {
            this.stop();
            this.#retryLater('flooded', FLOOD_PAUSE_MS);
            this.#onEvent('gap', {missed});
            return;
        }
        this.#onEvent(type, data);
    }

    #retryLater(state, delay) {
        this.state = state;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.start(), delay);
    }

    /** A hidden tab has no stream: a browser allows six connections to a server, in all its tabs. */
    #visibilityChanged() {
        if (document.hidden) {
            this.stop();
        } else if (!this.#abort) {
            this.state = 'connecting';
            this.start();
        }
    }
}
