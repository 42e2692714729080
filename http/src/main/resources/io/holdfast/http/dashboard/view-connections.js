// All connections and sessions.

import {get} from './api.js';
import {el, setText} from './dom.js';
import {Reach, debounce, nextSort, remember, searchField} from './filters.js';
import {connectionHref, count, span, visible} from './format.js';
import {Grid} from './grid.js';
import {Poller} from './poller.js';
import {now} from './state.js';

const MAX_ROWS = 20_000;
const LARGEST_FIRST = ['holds', 'waits', 'open'];
const text = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS = {
    number: (a, b) => a.id - b.id,
    name: (a, b) => text(a.name, b.name),
    protocol: (a, b) => text(a.protocol, b.protocol),
    open: (a, b) => b.since - a.since,
    holds: (a, b) => a.holds - b.holds,
    waits: (a, b) => a.waits - b.waits,
};

const COLUMNS = [
    {
        id: 'number',
        title: 'Connection',
        make: cell => cell.appendChild(el('a', {class: 'number', tabindex: '-1'})),
        fill: (link, row) => {
            setText(link, `#${row.id}`);
            link.setAttribute('href', connectionHref(row.id));
        },
    },
    {
        id: 'name',
        title: 'Name',
        make: cell => cell.appendChild(el('bdi', {class: 'name'})),
        fill: (cell, row) => setText(cell, visible(row.name)),
    },
    {id: 'protocol', title: 'Protocol', fill: (cell, row) => setText(cell, row.protocol)},
    {id: 'open', title: 'Open for', fill: () => {}, tick: (cell, row, time) => setText(cell, span((time - row.since) / 1000))},
    {id: 'holds', title: 'Holds', fill: (cell, row) => setText(cell, row.holds === 0 ? '' : count(row.holds))},
    {id: 'waits', title: 'Waits', fill: (cell, row) => setText(cell, row.waits === 0 ? '' : count(row.waits))},
];

export class ConnectionsView {
    title = 'Connections';
    element;
    search;
    grid;
    #rows = [];
    #reach = new Reach(MAX_ROWS);
    #query = '';
    #order = {sort: 'holds', descending: true};
    #count;
    #empty;
    poller = new Poller(signal => this.#load(signal), cost => Math.min(15_000, Math.max(3000, cost * 15)));
    #searchOnServer = debounce(() => this.poller.now(), 250);

    constructor() {
        this.search = searchField('Search names and protocols', value => this.#set(value));
        this.#count = el('span', {class: 'count', role: 'status'});
        this.#empty = el('p', {class: 'empty', hidden: true});
        this.grid = new Grid(COLUMNS, {
            name: 'connections',
            label: 'Connections',
            now,
            onOpen: row => {
                location.hash = connectionHref(row.id);
            },
            onSort: id => {
                nextSort(this.#order, id, LARGEST_FIRST);
                this.#set(this.#query);
            },
            mark: row => (row.waits > 0 ? 'contended' : ''),
        });
        this.element = el('section', {class: 'view wide', 'aria-label': 'Connections'},
            el('div', {class: 'toolbar'}, this.search, this.#count), this.grid.element, this.#empty);
    }

    enter({q = '', sort = 'holds', order}) {
        this.#order = {sort, descending: (order ?? (LARGEST_FIRST.includes(sort) ? 'desc' : 'asc')) === 'desc'};
        this.search.value = q;
        this.#set(q);
        this.poller.start();
    }

    leave() {
        this.poller.stop();
    }

    refresh() {
        this.poller.now();
    }

    event(type) {
        if (type !== 'audit') {
            this.poller.soon(1500);
        }
    }

    tick(time) {
        this.grid.tick(time);
    }

    #set(query) {
        this.#query = query;
        const {sort, descending} = this.#order;
        this.grid.showSort(sort, descending);
        const isDefault = descending === LARGEST_FIRST.includes(sort);
        remember('connections', {q: query, sort: sort === 'holds' ? '' : sort, order: isDefault ? '' : descending ? 'desc' : 'asc'});
        this.#draw();
        if (this.#reach.beyond) {
            this.#searchOnServer();
        }
    }

    async #load(signal) {
        const narrow = this.#reach.beyond && this.#query ? `&q=${encodeURIComponent(this.#query.toWellFormed())}` : '';
        const response = await get(`/v1/connections?limit=${MAX_ROWS}${narrow}`, signal);
        const at = performance.now();
        const whole = narrow === '' ? response : this.#reach.isOld(at) ? await get('/v1/connections?limit=0', signal) : null;
        if (whole && this.#reach.learn(whole.total, at) && this.#query) {
            this.poller.now();
        }
        this.#rows = response.connections.map(each => ({
            id: each.connection,
            name: each.name ?? '',
            protocol: each.protocol ?? '',
            since: at - each.open_s * 1000,
            holds: each.holds,
            waits: each.waits,
            text: `#${each.connection} ${each.name ?? ''} ${each.protocol ?? ''}`.toLowerCase(),
        }));
        this.#draw();
    }

    #draw() {
        const search = this.#query.toLowerCase();
        const order = ORDERS[this.#order.sort] ?? ORDERS.number;
        const sign = this.#order.descending ? -1 : 1;
        const rows = this.#rows.filter(row => search === '' || row.text.includes(search))
            .sort((a, b) => sign * order(a, b) || a.id - b.id);
        this.grid.setRows(rows);
        const {total} = this.#reach;
        const all = total === null ? '' : `${count(total)} ${total === 1 ? 'connection' : 'connections'}`;
        setText(this.#count, rows.length === total ? all : all && `${count(rows.length)} of ${all}`);
        this.#empty.hidden = rows.length > 0 || total === null;
        setText(this.#empty, search ? 'No connection matches.' : 'No connections.');
    }
}
