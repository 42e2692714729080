// The keys in use, as known to the page: updated by full responses and by the events between them.

import {keyCode} from './format.js';

/** Two times of the same event that differ by less are equal, apart from latency. */
const NEAR_MS = 500;
const near = (a, b) => a !== null && b !== null && Math.abs(a - b) < NEAR_MS;

/** A row of the table. Times are on the page's clock (performance.now()); null is "no end", undefined is "unknown". */
class Row {
    constructor(id, entry) {
        this.id = id;
        this.kind = entry.kind;
        this.namespace = entry.namespace;
        this.key = entry.key;
        this.key_encoded = entry.key_encoded;
        this.limit = entry.limit;
        this.holders = 0;
        this.waiters = 0;
        this.holder = null;
        this.heldSince = null;
        this.leaseEnd = undefined;
        this.leaseFull = null;
        this.touched = 0;
        this.text = '';
    }

    describe() {
        this.text = `${this.key}\n${this.namespace}\n${this.holder?.name ?? ''}\n${this.holder?.protocol ?? ''}`.toLowerCase();
    }

    setHolder(holder, since) {
        if (holder?.fence !== this.holder?.fence) {
            this.leaseFull = null;
            this.leaseEnd = undefined;
        }
        // A response has latency: of two times of the same hold, the earlier is more accurate.
        const same = holder && holder.fence === this.holder?.fence && holder.connection === this.holder.connection;
        this.heldSince = same && near(since, this.heldSince) ? Math.min(since, this.heldSince) : since;
        this.holder = holder;
    }

    /**
     * The server does not report the duration of the lease; the remaining time at the grant, or after a renewal, is
     * used for it.
     */
    setLease(left, held, at) {
        if (left === null) {
            this.leaseEnd = null;
            return;
        }
        const end = at + left * 1000;
        if (this.leaseFull === null) {
            this.leaseFull = (left + (held ?? 0)) * 1000;
        } else if (!this.leaseEnd || end > this.leaseEnd + NEAR_MS) {
            this.leaseFull = left * 1000;
        } else if (end > this.leaseEnd) {
            return; // not renewed, only more latency: the countdown must not jump
        }
        this.leaseEnd = end;
    }
}

export function idOf(entry) {
    return `${entry.kind}\n${entry.namespace}\n${keyCode(entry)}`;
}

/** Maximum number of rows, including those that events add between responses. */
const MAX_ROWS = 40_000;

export class Keys {
    rows = new Map();
    total = 0;
    /** Whether every key has a row: only then does a row more or less change the total. */
    #complete = true;
    /** When events removed rows, to ignore older responses that were in flight. */
    #removed = new Map();

    /**
     * Applies a full response to a request that started at `began`. Rows that events changed since then are newer and
     * stay.
     *
     * @param total number of all keys, including those that were not requested
     */
    replace(response, began, at, total) {
        const next = new Map();
        let behind = false;
        for (const entry of response.keys) {
            const id = idOf(entry);
            const old = this.rows.get(id);
            if (old ? old.touched > began : (this.#removed.get(id) ?? 0) > began) {
                behind = true;
                if (old) {
                    next.set(id, old);
                }
                continue;
            }
            const row = old ?? new Row(id, entry);
            row.limit = entry.limit;
            row.holders = entry.holders;
            row.waiters = entry.waiters;
            row.setHolder(entry.holder, entry.held_s === null ? null : at - entry.held_s * 1000);
            row.setLease(entry.lease_left_s, entry.held_s, at);
            row.describe();
            next.set(id, row);
        }
        for (const [id, row] of this.rows) {
            if (row.touched > began && !next.has(id)) {
                next.set(id, row);
                behind = true;
            }
        }
        this.rows = next;
        this.#complete = response.keys.length >= total;
        this.total = Math.max(total, next.size);
        this.#removed.clear();
        return behind;
    }

    #count(change) {
        if (this.#complete) {
            this.total += change;
        }
    }

    /**
     * @return whether the table must be requested again for what the event does not contain
     */
    apply(type, event, now) {
        if (event.kind === undefined || event.key === undefined) {
            return false;
        }
        const id = idOf(event);
        let row = this.rows.get(id);
        if (event.holders === 0 && event.waiters === 0) {
            if (row) {
                this.rows.delete(id);
                this.#count(-1);
            }
            if (this.#removed.size > 10_000) {
                this.#removed.clear();
            }
            this.#removed.set(id, now);
            return false;
        }
        if (!row) {
            if (this.rows.size >= MAX_ROWS) {
                return true;
            }
            row = new Row(id, {...event, limit: event.kind === 'lock' ? 1 : null});
            this.rows.set(id, row);
            this.#count(1);
        }
        row.holders = event.holders;
        row.waiters = event.waiters;
        row.touched = now;
        let reload = false;
        if (type === 'acquired' && (event.holders === 1 || row.holder === null)) {
            const {connection, name, protocol, mode, fence} = event;
            row.setHolder({connection, name, protocol, mode, fence}, now);
            reload = true;
        } else if (event.holders === 0) {
            row.setHolder(null, null);
        } else if (row.holder === null || (type !== 'waiting' && row.holder.connection === event.connection)) {
            reload = true;
        }
        row.describe();
        return reload;
    }
}

const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const END = Number.MAX_VALUE;

const ORDERS = {
    kind: (a, b) => compareText(a.kind, b.kind),
    key: (a, b) => compareText(a.key, b.key) || compareText(a.namespace, b.namespace),
    holder: (a, b) => compareText(a.holder?.name ?? '', b.holder?.name ?? ''),
    held: (a, b) => (b.heldSince ?? END) - (a.heldSince ?? END),
    lease: (a, b) => (a.leaseEnd ?? END) - (b.leaseEnd ?? END),
    waiters: (a, b) => a.waiters - b.waiters,
};

/** The rows that match the filters, sorted; equal rows are ordered by key. With keysOnly, holders are not searched. */
export function choose(rows, {query, kind, state, sort, descending, keysOnly = false}) {
    const search = query.toLowerCase();
    const matching = [];
    for (const row of rows) {
        if ((kind === '' || row.kind === kind)
            && (state === '' || (state === 'held' ? row.holders > 0 : row.waiters > 0))
            && (search === '' || (keysOnly ? row.key.toLowerCase() : row.text).includes(search))) {
            matching.push(row);
        }
    }
    const order = ORDERS[sort] ?? ORDERS.key;
    const sign = descending ? -1 : 1;
    return matching.sort((a, b) => sign * order(a, b) || ORDERS.key(a, b) || compareText(a.kind, b.kind));
}
