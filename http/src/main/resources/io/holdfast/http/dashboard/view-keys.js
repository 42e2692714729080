// The table of all keys in use.

import {get} from './api.js';
import {el, setText} from './dom.js';
import {Reach, choice, debounce, nextSort, remember, searchField} from './filters.js';
import {count, keyHref, keyText, span, visible} from './format.js';
import {Grid} from './grid.js';
import {Keys, choose} from './keys.js';
import {makeLease, tickLease} from './parts.js';
import {Poller} from './poller.js';
import {now, state} from './state.js';

/** The maximum number of keys in a response. Beyond it the server searches and sorts, and this page shows the first. */
const MAX_ROWS = 20_000;
const LARGEST_FIRST = ['waiters', 'held'];
const SERVER_SORT = {key: 'key', waiters: 'waiters', held: 'held', lease: 'lease'};
const KINDS = [['', 'All'], ['lock', 'Locks'], ['semaphore', 'Semaphores'], ['shared', 'Shared']];
const STATES = [['', 'All'], ['held', 'Held'], ['waited', 'With waiters']];

const COLUMNS = [
    {
        id: 'kind',
        title: 'Kind',
        make: cell => cell.appendChild(el('span', {class: 'kind'})),
        fill: (chip, row) => {
            setText(chip, row.kind);
            chip.className = `kind ${row.kind}`;
        },
    },
    {
        id: 'key',
        title: 'Key',
        make: cell => {
            const space = el('bdi', {class: 'namespace'});
            const link = el('a', {tabindex: '-1'}, el('bdi', {class: 'name'}));
            const mark = el('span', {class: 'deadlock'});
            cell.append(mark, space, link);
            return {space, link, text: link.firstChild, mark};
        },
        fill: ({space, link, text, mark}, row) => {
            const certain = state.deadlocked.get(row.id);
            mark.hidden = certain === undefined;
            setText(mark, certain === undefined ? '' : certain ? 'deadlock' : 'possible deadlock');
            setText(space, row.namespace === '' ? '' : visible(row.namespace) + ' / ');
            setText(text, keyText(row.key, row.key_encoded));
            text.className = row.key === '' ? 'name none' : row.key_encoded ? 'name raw' : 'name';
            const href = keyHref(row);
            if (link.getAttribute('href') !== href) {
                link.setAttribute('href', href);
            }
        },
    },
    {
        id: 'holder',
        title: 'Holder',
        make: cell => {
            const number = el('span', {class: 'number'});
            const text = el('bdi', {class: 'name'});
            const more = el('span', {class: 'more'});
            cell.append(number, text, more);
            return {cell, number, text, more};
        },
        fill: ({number, text, more}, row) => {
            const {holder, holders, limit, kind} = row;
            setText(number, holder ? `#${holder.connection} ` : '');
            setText(text, holder ? `${visible(holder.name ?? '')} ${holder.protocol ?? ''}` : holders > 0 ? '…' : 'free');
            const mode = holder?.mode === 'read' ? ' read' : '';
            const beside = kind === 'semaphore' && limit ? ` ${count(holders)} of ${count(limit)}`
                : holders > 1 ? ` +${count(holders - 1)}` : '';
            setText(more, mode + beside);
        },
    },
    {
        id: 'held',
        title: 'Held for',
        fill: () => {},
        tick: (cell, row, time) => setText(cell, row.heldSince === null || row.heldSince === undefined ? '' : span((time - row.heldSince) / 1000)),
    },
    {id: 'lease', title: 'Lease left', make: makeLease, fill: () => {}, tick: tickLease},
    {
        id: 'waiters',
        title: 'Waiters',
        make: cell => cell.appendChild(el('span', {class: 'waiting'})),
        fill: (text, row) => setText(text, row.waiters === 0 ? '' : count(row.waiters)),
    },
];

export class KeysView {
    title = 'Keys';
    element;
    search;
    grid;
    #keys = new Keys();
    #reach = new Reach(MAX_ROWS);
    #filter = {query: '', kind: '', state: '', sort: 'waiters', descending: true};
    #kinds;
    #states;
    #count;
    #empty;
    #dirty = false;
    #loaded = false;
    #cost = 0;
    poller = new Poller((signal, began) => this.#load(signal, began), cost => {
        this.#cost = cost;
        return Math.min(15_000, Math.max(3000, cost * 15));
    });
    #searchOnServer = debounce(() => this.poller.now(), 250);

    constructor() {
        this.search = searchField('Search keys and holders', value => this.#set({query: value}));
        this.#kinds = choice('Kind', KINDS, value => this.#set({kind: value}));
        this.#states = choice('State', STATES, value => this.#set({state: value}));
        this.#count = el('span', {class: 'count', role: 'status'});
        this.#empty = el('p', {class: 'empty', hidden: true});
        this.grid = new Grid(COLUMNS, {
            name: 'keys',
            label: 'Keys in use',
            now,
            onOpen: row => {
                location.hash = keyHref(row);
            },
            onSort: id => {
                nextSort(this.#filter, id, LARGEST_FIRST);
                this.#set({});
            },
            mark: row => (state.deadlocked.has(row.id) ? 'contended deadlocked' : row.waiters > 0 ? 'contended' : ''),
        });
        this.element = el('section', {class: 'view wide', 'aria-label': 'Keys'},
            el('div', {class: 'toolbar'}, this.search, this.#kinds, this.#states, this.#count), this.grid.element, this.#empty);
    }

    enter(params) {
        const {q = '', order} = params;
        const kind = KINDS.find(([value]) => value === params.kind)?.[0] ?? '';
        const state = STATES.find(([value]) => value === params.state)?.[0] ?? '';
        const sort = COLUMNS.find(({id}) => id === params.sort)?.id ?? 'waiters';
        this.#filter = {query: q, kind, state, sort, descending: (order ?? (LARGEST_FIRST.includes(sort) ? 'desc' : 'asc')) === 'desc'};
        this.search.value = q;
        this.#set({});
        this.poller.start();
    }

    leave() {
        this.poller.stop();
    }

    refresh() {
        this.poller.now();
    }

    #set(change) {
        Object.assign(this.#filter, change);
        const {query, kind, state, sort, descending} = this.#filter;
        this.#kinds.show(kind);
        this.#states.show(state);
        this.grid.showSort(sort, descending);
        const isDefault = descending === LARGEST_FIRST.includes(sort);
        remember('keys', {
            q: query, kind, state, sort: sort === 'waiters' ? '' : sort, order: isDefault ? '' : descending ? 'desc' : 'asc',
        });
        this.#draw();
        if (this.#reach.beyond) {
            this.#searchOnServer();
        }
    }

    async #load(signal, began) {
        const {query, kind, state, sort, descending} = this.#filter;
        const {beyond} = this.#reach;
        const order = beyond ? `&sort=${SERVER_SORT[sort] ?? 'key'}&order=${descending ? 'desc' : 'asc'}` : '';
        let narrow = '';
        if (beyond) {
            narrow += query ? `&q=${encodeURIComponent(query.toWellFormed())}` : '';
            narrow += kind ? `&kind=${kind}` : '';
            narrow += state ? `&state=${state}` : '';
        }
        const response = await get(`/v1/keys?limit=${MAX_ROWS}${order}${narrow}`, signal);
        const at = performance.now();
        const whole = narrow === '' ? response : this.#reach.isOld(at) ? await get('/v1/keys?limit=0', signal) : null;
        if (whole && this.#reach.learn(whole.total, at)) {
            this.search.setLabel(this.#reach.beyond ? 'Search keys' : 'Search keys and holders'); // the server searches only keys
            this.poller.now();
        }
        const behind = this.#keys.replace(response, began, at, this.#reach.total);
        this.#loaded = true;
        this.#draw();
        if (behind) {
            this.#soon();
        }
    }

    /** A large table is requested less often. */
    #soon() {
        this.poller.soon(Math.max(500, this.#cost * 8));
    }

    event(type, event, time) {
        if (type === 'gap') {
            this.#soon();
        } else if (this.#loaded) {
            if (this.#keys.apply(type, event, time)) {
                this.#soon();
            }
            this.#dirty = true;
        }
    }

    deadlocksChanged() {
        this.#dirty = true;
    }

    tick(time, slow) {
        if (this.#dirty && slow) {
            this.#draw();
        } else {
            this.grid.tick(time);
        }
    }

    #draw() {
        this.#dirty = false;
        const rows = choose(this.#keys.rows.values(), {...this.#filter, keysOnly: this.#reach.beyond});
        this.grid.setRows(rows);
        const {total} = this.#keys;
        const filtered = this.#filter.query !== '' || this.#filter.kind !== '' || this.#filter.state !== '';
        const all = `${count(total)} ${total === 1 ? 'key' : 'keys'}`;
        setText(this.#count, !this.#loaded ? '' : rows.length === total ? all : `${count(rows.length)} of ${all}`);
        this.#empty.hidden = rows.length > 0 || !this.#loaded;
        setText(this.#empty, filtered ? 'No key matches.' : 'No key is held or waited for.');
    }
}
