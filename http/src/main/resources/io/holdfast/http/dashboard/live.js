// The stream of events: opened while the tab is seen, opened again when it breaks, left alone when it would be a flood.

import {access, stream} from './api.js';
import {backOff} from './poller.js';

const TYPES = 'waiting,offered,acquired,released,expired,lost,timed_out,gave_up,session_opened,session_closed,audit';
/** More events a second than anybody can follow: asking for the whole table now and then is cheaper. */
const FLOOD = 1000;
const FLOOD_PAUSE_MS = 20_000;
/** Three times as long as a server is silent that is set up as usual. */
const SILENCE_MS = 45_000;
const LONGEST_SILENCE_MS = 600_000;
const LISTEN_MS = 2000;

export class Live {
    /** connecting, live, flooded, broken or paused */
    state = 'connecting';
    #onEvent;
    #abort = null;
    #timer = 0;
    #failures = 0;
    #second = 0;
    #seen = 0;
    #patience = SILENCE_MS;
    #longest = 0;
    #heard = 0;
    #heardAt = 0;

    constructor(onEvent) {
        this.#onEvent = onEvent;
        setInterval(() => this.#listen(), LISTEN_MS);
        document.addEventListener('visibilitychange', () => this.#seeVisibility());
    }

    start() {
        clearTimeout(this.#timer);
        if (this.#abort || access.needed || document.hidden) {
            return;
        }
        const abort = new AbortController();
        this.#abort = abort;
        let open = false;
        this.#hear();
        const onBytes = () => {
            if (open) {
                this.#learn();
            }
            this.#hear();
            if (!open) {
                open = true;
                this.#opened();
            }
        };
        stream(`/v1/events?type=${TYPES}`, abort.signal, onBytes, (type, data) => this.#take(type, data))
            .then(() => 'broken', () => 'broken')
            .then(state => {
                if (this.#abort === abort) {
                    this.#abort = null;
                    this.#later(state, backOff(++this.#failures));
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

    #hear() {
        this.#heard = performance.now();
        this.#heardAt = Date.now();
    }

    /** A server may be set up to ping less often than is usual. */
    #learn() {
        this.#longest = Math.max(this.#longest, performance.now() - this.#heard);
        this.#patience = Math.min(LONGEST_SILENCE_MS, Math.max(SILENCE_MS, 3 * this.#longest));
    }

    /**
     * A stream over which not even a ping comes has lost its server without noticing. Either clock may have stood still
     * while the computer slept. The next stream is given longer, to learn how often it pings.
     */
    #listen() {
        const silence = Math.max(performance.now() - this.#heard, Date.now() - this.#heardAt);
        if (this.#abort && silence > this.#patience) {
            this.#patience = Math.min(LONGEST_SILENCE_MS, this.#patience * 2);
            this.stop('connecting');
            this.start();
        }
    }

    #take(type, data) {
        const second = Math.floor(performance.now() / 1000);
        if (second !== this.#second) {
            this.#second = second;
            this.#seen = 0;
        }
        const missed = type === 'gap' ? data.missed : 1;
        this.#seen += missed;
        if (this.#seen > FLOOD) {
            this.stop();
            this.#later('flooded', FLOOD_PAUSE_MS);
            this.#onEvent('gap', {missed});
            return;
        }
        this.#onEvent(type, data);
    }

    #later(state, delay) {
        this.state = state;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.start(), delay);
    }

    /** A hidden tab holds no stream: a browser allows six connections to a server, over all its tabs. */
    #seeVisibility() {
        if (document.hidden) {
            this.stop();
        } else if (!this.#abort) {
            this.state = 'connecting';
            this.start();
        }
    }
}
