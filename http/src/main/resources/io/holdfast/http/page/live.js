// The stream of events: opened while the tab is seen, opened again when it breaks, left alone when it would be a flood.

import {access, stream} from './api.js';

const TYPES = 'waiting,offered,acquired,released,expired,lost,timed_out,gave_up,session_opened,session_closed,audit';
/** More events a second than anybody can follow: asking for the whole table now and then is cheaper. */
const FLOOD = 1000;
const FLOOD_PAUSE_MS = 20_000;

export class Live {
    /** connecting, live, flooded, broken or paused */
    state = 'connecting';
    #onEvent;
    #abort = null;
    #timer = 0;
    #failures = 0;
    #second = 0;
    #seen = 0;

    constructor(onEvent) {
        this.#onEvent = onEvent;
        document.addEventListener('visibilitychange', () => this.#seeVisibility());
    }

    start() {
        clearTimeout(this.#timer);
        if (this.#abort || access.needed || document.hidden) {
            return;
        }
        const abort = new AbortController();
        this.#abort = abort;
        stream(`/v1/events?type=${TYPES}`, abort.signal, () => this.#opened(), (type, data) => this.#take(type, data))
            .then(() => 'broken', () => 'broken')
            .then(state => {
                if (this.#abort === abort) {
                    this.#abort = null;
                    this.#later(state, Math.min(15_000, 1000 * 2 ** Math.min(this.#failures++, 4)));
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
