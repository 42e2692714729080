// Requests to the server this page came from.

export class Failure extends Error {
    constructor(status, code, detail) {
        super(detail || code || `status ${status}`);
        this.status = status;
        this.code = code;
    }
}

const STORED = 'holdfast.token';
const PATIENCE_MS = 15_000;
const LONGEST_EVENT = 1_000_000;

/** The token lives as long as the tab, or as this script where the browser keeps nothing; never in an address. */
class Access extends EventTarget {
    #token = null;
    /** No request is sent while the person is being asked. */
    needed = false;
    refused = false;

    constructor() {
        super();
        try {
            this.#token = sessionStorage.getItem(STORED);
        } catch {
            this.#token = null;
        }
    }

    get token() {
        return this.#token;
    }

    set(token) {
        this.#token = token;
        try {
            if (token === null) {
                sessionStorage.removeItem(STORED);
            } else {
                sessionStorage.setItem(STORED, token);
            }
        } catch {
            // Kept in this object alone.
        }
        this.needed = false;
        this.dispatchEvent(new Event('changed'));
    }

    deny(used) {
        if (!this.needed && used === this.#token) {
            this.needed = true;
            this.refused = used !== null;
            this.dispatchEvent(new Event('needed'));
        }
    }
}

export const access = new Access();

/** When the server last answered, be it with an error, on the page's own clock. Whether data is old, its poller knows. */
export const contact = {last: performance.now(), failing: false};

async function send(method, path, body, signal) {
    const token = access.token;
    const headers = {};
    if (token !== null) {
        headers.Authorization = `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`; // a header is bytes
    }
    const init = {method, headers, signal, cache: 'no-store', credentials: 'omit', redirect: 'error'};
    if (body !== undefined) {
        headers['Content-Type'] = 'application/json';
        init.body = JSON.stringify(body);
    }
    let response;
    try {
        response = await fetch(path, init);
    } catch (error) {
        if (!signal.aborted || signal.reason?.name === 'TimeoutError') {
            contact.failing = true;
        }
        throw error;
    }
    contact.failing = false;
    contact.last = performance.now();
    if (response.status === 401) {
        access.deny(token);
    }
    if (!response.ok) {
        const problem = await response.json().catch(() => ({}));
        throw new Failure(response.status, problem.error, problem.detail);
    }
    return response;
}

/** One request and its JSON; null where the answer has no body. */
export async function call(method, path, {body, signal} = {}) {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    const response = await send(method, path, body, signal ? AbortSignal.any([signal, limit]) : limit);
    return response.status === 204 ? null : response.json();
}

export const get = (path, signal) => call('GET', path, {signal});

/** Server-sent events read from a fetch, because EventSource sends no Authorization. Ends when the stream does. */
export async function stream(path, signal, onBytes, onEvent) {
    const response = await send('GET', path, undefined, signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const {done, value} = await reader.read();
        if (done) {
            return;
        }
        contact.last = performance.now();
        onBytes();
        rest += value;
        const blocks = rest.split('\n\n');
        rest = blocks.pop();
        if (rest.length > LONGEST_EVENT) {
            throw new Error('this is no stream of events');
        }
        for (const block of blocks) {
            const event = parse(block);
            if (event) {
                onEvent(event.type, event.data);
            }
        }
    }
}

function parse(block) {
    let type = 'message';
    const data = [];
    for (const line of block.split('\n')) {
        if (line.startsWith('event:')) {
            type = line.slice(6).trim();
        } else if (line.startsWith('data:')) {
            data.push(line.slice(5).trimStart());
        }
    }
    return data.length === 0 ? null : {type, data: JSON.parse(data.join('\n'))};
}
