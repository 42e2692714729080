// Signal channels and their listeners.

import {get} from './api.js';
import {el, setText} from './dom.js';
import {nextSort, remember, searchField} from './filters.js';
import {count, visible} from './format.js';
import {Grid} from './grid.js';
import {Poller} from './poller.js';
import {now} from './state.js';

const text = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS = {
    pattern: (a, b) => text(a.pattern, b.pattern),
    namespace: (a, b) => text(a.namespace, b.namespace),
    group: (a, b) => text(a.group ?? '', b.group ?? ''),
    listeners: (a, b) => a.listeners - b.listeners,
};
const named = (id, title, of) => ({
    id,
    title,
    make: cell => cell.appendChild(el('bdi', {class: 'name'})),
    fill: (cell, row) => setText(cell, of(row)),
});
const COLUMNS = [
    named('pattern', 'Channel or pattern', row => visible(row.pattern)),
    named('group', 'Group', row => (row.group ? visible(row.group) : '')),
    named('namespace', 'Namespace', row => visible(row.namespace)),
    {id: 'listeners', title: 'Listeners', fill: (cell, row) => setText(cell, count(row.listeners))},
];

export class SignalsView {
    title = 'Signals';
    element;
    search;
    grid;
    #rows = null;
    #query = '';
    #order = {sort: 'listeners', descending: true};
    #count = el('span', {class: 'count', role: 'status'});
    #empty = el('p', {class: 'empty', hidden: true});
    poller = new Poller(signal => this.#load(signal), cost => Math.max(4000, cost * 15));

    constructor() {
        this.search = searchField('Search channels and groups', value => this.#set(value));
        this.grid = new Grid(COLUMNS, {
            name: 'signals',
            label: 'Listeners by channel',
            now,
            onOpen: () => {},
            onSort: id => {
                nextSort(this.#order, id, ['listeners']);
                this.#set(this.#query);
            },
        });
        this.element = el('section', {class: 'view wide', 'aria-label': 'Signals'},
            el('div', {class: 'toolbar'}, this.search, this.#count), this.grid.element, this.#empty);
    }

    enter({q = ''}) {
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

    event() {}

    tick() {}

    #set(query) {
        this.#query = query;
        remember('signals', {q: query});
        this.grid.showSort(this.#order.sort, this.#order.descending);
        this.#draw();
    }

    async #load(signal) {
        const {channels} = await get('/v1/signals/channels', signal);
        this.#rows = channels.map(each => ({
            ...each,
            id: `${each.namespace}\n${each.pattern}\n${each.group ?? ''}`,
            text: `${each.pattern} ${each.group ?? ''}`.toLowerCase(),
        }));
        this.#draw();
    }

    #draw() {
        if (this.#rows === null) {
            return;
        }
        const search = this.#query.toLowerCase();
        const sign = this.#order.descending ? -1 : 1;
        const order = ORDERS[this.#order.sort];
        const rows = this.#rows.filter(row => search === '' || row.text.includes(search))
            .sort((a, b) => sign * order(a, b) || ORDERS.pattern(a, b));
        this.grid.setRows(rows);
        const all = `${count(this.#rows.length)} ${this.#rows.length === 1 ? 'channel' : 'channels'}`;
        setText(this.#count, rows.length === this.#rows.length ? all : `${count(rows.length)} of ${all}`);
        this.#empty.hidden = rows.length > 0;
        setText(this.#empty, search ? 'No channel matches.' : 'No signal listeners.');
    }
}
