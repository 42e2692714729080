// One key: its holders, its queue in order, and its recent events.

import {get} from './api.js';
import {release} from './actions.js';
import {el} from './dom.js';
import {lastSeen} from './filters.js';
import {clock, connectionHref, count, counted, name, span, visible} from './format.js';
import {idOf} from './keys.js';
import {connectionLink, kindChip, leaseCell, leaseOf, running, shapeOf, table, tickAll, updateLeases} from './parts.js';
import {Poller} from './poller.js';
import {mayAct, now, state} from './state.js';

const EVENTS = {
    acquired: 'acquired', released: 'released', expired: 'lease expired', lost: 'lost', waiting: 'queued', offered: 'offered',
    timed_out: 'timed out', gave_up: 'stopped waiting',
};

export class KeyView {
    element = el('section', {class: 'view page', 'aria-label': 'Key'});
    #params = {};
    #limit = 100;
    #shown = '';
    #response = null;
    #at = 0;
    poller = new Poller(signal => this.#load(signal), cost => Math.min(15_000, Math.max(2000, cost * 10)));

    get title() {
        return this.#response ? visible(this.#response.key) || '(empty)' : 'Key';
    }

    /** Uses the raw parameters, because the bytes of a key need not be text. */
    enter(params, raw) {
        this.#params = raw;
        this.#limit = 100;
        this.#response = null;
        this.#shown = '';
        this.element.replaceChildren(el('p', {class: 'empty'}, 'Loading…'));
        this.poller.start();
    }

    leave() {
        this.poller.stop();
    }

    refresh() {
        this.poller.now();
    }

    async #load(signal) {
        const {key = '', namespace} = this.#params;
        let path = `/v1/keys/-?key=${key}&limit=${this.#limit}`;
        if (namespace !== undefined) {
            path += `&namespace=${namespace}`;
        }
        try {
            this.#draw(await get(path, signal), performance.now());
        } catch (error) {
            if (error.code !== 'unknown_key') {
                throw error;
            }
            this.#response = null;
            this.#shown = '';
            this.element.replaceChildren(this.#back(), el('h1', {}, this.#address()),
                el('p', {class: 'empty'}, 'This key has no holders, no waiters and no recent events.'));
        }
    }

    #address() {
        try {
            return name(decodeURIComponent(this.#params.key ?? ''));
        } catch {
            return name(this.#params.key, this.#params.key);
        }
    }

    #back() {
        return el('a', {class: 'back', href: lastSeen.keys}, '‹ Keys');
    }

    event(type, event) {
        if (type === 'gap' || this.#concerns(event)) {
            this.poller.soon(400);
        }
    }

    #concerns(event) {
        const mine = this.#response;
        return mine !== null && event.key === mine.key && event.key_encoded === mine.key_encoded && event.namespace === mine.namespace;
    }

    deadlocksChanged() {
        if (this.#response) {
            this.#draw(this.#response, this.#at);
        }
    }

    tick(time) {
        tickAll(this.element, time);
    }

    /** Whether a deadlock through a resource of the key is certain; undefined if there is none. */
    #deadlock(response) {
        const found = response.resources.map(({kind}) => state.deadlocked.get(idOf({...response, kind})));
        return found.some(certain => certain) || found.find(certain => certain !== undefined);
    }

    #draw(response, at) {
        this.#response = response;
        this.#at = at;
        const deadlock = this.#deadlock(response);
        // Rebuilds the elements only if something changed, so that a button is not replaced while it is being clicked.
        const shape = shapeOf(mayAct(), this.#limit, deadlock ?? null, response);
        if (shape === this.#shown) {
            updateLeases(this.element, response.resources.flatMap(resource => resource.holders), at);
            return;
        }
        this.#shown = shape;
        const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
        this.element.replaceChildren(
            this.#back(),
            el('h1', {}, response.namespace === '' ? null : el('bdi', {class: 'namespace'}, visible(response.namespace) + ' / '),
                name(response.key, response.key_encoded)),
            ...(response.key_encoded ? [el('p', {class: 'dim'}, 'Not UTF-8. In URLs: ', el('code', {}, response.key_encoded))] : []),
            deadlock === undefined ? '' : el('p', {class: 'deadlocked', role: 'alert'},
                deadlock ? 'This key is part of a deadlock. ' : 'This key may be part of a deadlock. ',
                el('a', {href: '#/waits'}, 'See the wait-for graph')),
            ...response.resources.flatMap(resource => this.#resource(response, resource, at)));
        if (focused) {
            [...this.element.querySelectorAll('[data-focus]')].find(each => each.dataset.focus === focused)?.focus();
        }
        this.tick(now());
    }

    #resource(response, resource, at) {
        const allowed = mayAct();
        const holders = resource.holders.map(holder => {
            const cells = [
                connectionLink(holder),
                holder.protocol ?? '',
                holder.mode ?? '',
                holder.state === 'offered' ? el('span', {class: 'warn'}, 'offered') : 'held',
                running(at - holder.held_s * 1000),
                leaseCell(leaseOf(holder, at)),
                el('span', {class: 'fence'}, holder.fence ?? '–'),
            ];
            if (allowed) {
                cells.push(el('button', {
                    type: 'button',
                    class: 'danger small',
                    'data-focus': `release ${resource.kind} ${holder.fence}`,
                    onclick: async () => {
                        await release(response, resource, holder);
                        this.poller.soon(0);
                    },
                }, 'Release'));
            }
            return cells;
        });
        const waiters = resource.waiters.map(waiter => [
            el('span', {class: 'position'}, count(waiter.position)),
            connectionLink(waiter),
            waiter.protocol ?? '',
            waiter.mode ?? '',
            running(at - waiter.waited_s * 1000),
            running(waiter.timeout_left_s === null ? null : at + waiter.timeout_left_s * 1000, {down: true, none: 'no timeout'}),
        ]);
        const titles = ['Connection', 'Protocol', 'Mode', 'State', 'Held for', 'Lease left', 'Fence'];
        return [
            el('div', {class: 'panel resource'},
                el('h2', {}, kindChip(resource.kind), el('span', {class: 'facts'}, this.#facts(resource)),
                    allowed && resource.holders_total > 1 ? el('button', {
                        type: 'button',
                        class: 'danger small',
                        'data-focus': `release ${resource.kind} all`,
                        onclick: async () => {
                            await release(response, resource, null);
                            this.poller.soon(0);
                        },
                    }, 'Release all') : null),
                el('h3', {}, 'Holders'),
                table('Holders', allowed ? [...titles, ''] : titles, holders, 'No holders.'),
                this.#more(resource.holders_total, holders.length),
                el('h3', {}, 'Queue'),
                table('Queue', ['Position', 'Connection', 'Protocol', 'Mode', 'Waited', 'Timeout in'], waiters, 'No waiters.'),
                this.#more(resource.waiters_total, waiters.length),
                el('h3', {}, 'History'),
                table('History', ['Time', 'Event', 'Connection', 'Mode', 'Fence', 'Duration'], this.#history(resource.history), 'No recent events.')),
        ];
    }

    #facts(resource) {
        const holders = resource.kind === 'semaphore' && resource.limit
            ? `${count(resource.holders_total)} of ${counted(resource.limit, 'permit')} held`
            : counted(resource.holders_total, 'holder');
        return `${holders}, ${counted(resource.waiters_total, 'waiter')}`;
    }

    #history(history) {
        const newest = history.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
        return newest.map(past => ({
            mark: ['lost', 'expired', 'timed_out'].includes(past.event) ? 'trouble' : '',
            cells: [
                el('span', {class: 'at', title: past.at}, clock(past.at)),
                EVENTS[past.event] ?? past.event,
                past.connection === null ? '–' : el('a', {class: 'number', href: connectionHref(past.connection)}, `#${past.connection}`),
                past.mode ?? '',
                el('span', {class: 'fence'}, past.fence ?? '–'),
                past.event === 'waiting' || past.span_s === null || past.span_s === undefined ? '–' : past.span_s < 1 ? `${Math.round(past.span_s * 1000)} ms` : span(past.span_s),
            ],
        }));
    }

    #more(total, shown) {
        if (total <= shown) {
            return null;
        }
        const text = `The first ${count(shown)} of ${count(total)}. `;
        return el('p', {class: 'dim'}, text, this.#limit < 1000 ? el('button', {
            type: 'button',
            class: 'plain small',
            onclick: () => {
                this.#limit = 1000;
                this.poller.now();
            },
        }, 'Show up to 1,000') : null);
    }
}
