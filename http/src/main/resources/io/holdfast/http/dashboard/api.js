// Requests to the server that this page was loaded from.

export class Failure extends Error {
    constructor(status, code, detail) {
        super(detail || code || `status ${status}`);
        this.status = status;
        this.code = code;
    }
}

const STORED = 'holdfast.token';
const TIMEOUT_MS = 15_000;
const MAX_EVENT_LENGTH = 1_000_000;

/** Keeps the token as long as the tab exists (or this script, if the browser has no storage); never in a URL. */
class Access extends EventTarget {
    #token = null;
    /** No request is sent while the user is asked for a token. */
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
            // Kept only in this object.
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

/**
 * When the server last responded, even with an error, on the page's clock. Whether data is old is decided by its
 * poller.
 */
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

/** Sends a request and returns the JSON of the response; null if it has no body. */
export async function call(method, path, {body, signal} = {}) {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const response = await send(method, path, body, signal ? AbortSignal.any([signal, limit]) : limit);
    return response.status === 204 ? null : response.json();
}

export const get = (path, signal) => call('GET', path, {signal});

/** Reads server-sent events with fetch, because EventSource cannot send Authorization. Returns when the stream ends. */
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
        if (rest.length > MAX_EVENT_LENGTH) {
            throw new Error('not an event stream');
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
