// One connection: what it holds and what it waits for.

import {kick} from './actions.js';
import {get} from './api.js';
import {el} from './dom.js';
import {lastSeen} from './filters.js';
import {count, keyHref, name, visible} from './format.js';
import {kindChip, leaseCell, leaseOf, running, shapeOf, table, tickAll, updateLeases} from './parts.js';
import {Poller} from './poller.js';
import {mayAct, now} from './state.js';

export class ConnectionView {
    element = el('section', {class: 'view page', 'aria-label': 'Connection'});
    #number = 0;
    #shown = '';
    poller = new Poller(signal => this.#load(signal), cost => Math.min(15_000, Math.max(2000, cost * 10)));

    get title() {
        return `Connection ${this.#number}`;
    }

    enter({number}) {
        this.#shown = '';
        this.#number = Math.trunc(Number(number)) || 0;
        this.element.replaceChildren(el('p', {class: 'empty'}, 'Loading…'));
        this.poller.start();
    }

    leave() {
        this.poller.stop();
    }

    refresh() {
        this.poller.now();
    }

    event(type, event) {
        if (type === 'gap' || event.connection === this.#number) {
            this.poller.soon(400);
        }
    }

    tick(time) {
        tickAll(this.element, time);
    }

    async #load(signal) {
        try {
            this.#draw(await get(`/v1/connections/${this.#number}`, signal), performance.now());
        } catch (error) {
            if (error.code !== 'no_connection') {
                throw error;
            }
            this.#shown = '';
            this.element.replaceChildren(this.#back(), el('h1', {}, this.title),
                el('p', {class: 'empty'}, 'This connection has ended or never existed.'));
        }
    }

    #back() {
        return el('a', {class: 'back', href: lastSeen.connections}, '‹ Connections');
    }

    #key(entry) {
        return el('a', {href: keyHref(entry)},
            entry.namespace ? el('bdi', {class: 'namespace'}, visible(entry.namespace) + ' / ') : null, name(entry.key, entry.key_encoded));
    }

    #draw(response, at) {
        const shape = shapeOf(mayAct(), response);
        if (shape === this.#shown) {
            updateLeases(this.element, response.holding, at);
            return;
        }
        this.#shown = shape;
        const focused = this.element.contains(document.activeElement) && document.activeElement.matches('button');
        const holding = response.holding.map(hold => [
            kindChip(hold.kind),
            this.#key(hold),
            hold.mode ?? '',
            hold.state === 'offered' ? el('span', {class: 'warn'}, 'offered') : 'held',
            running(at - hold.held_s * 1000),
            leaseCell(leaseOf(hold, at)),
            el('span', {class: 'fence'}, hold.fence ?? '–'),
        ]);
        const waiting = response.waiting.map(wait => [
            kindChip(wait.kind),
            this.#key(wait),
            wait.mode ?? '',
            el('span', {class: 'position'}, count(wait.position)),
            running(at - wait.waited_s * 1000),
            running(wait.timeout_left_s === null ? null : at + wait.timeout_left_s * 1000, {down: true, none: 'no timeout'}),
        ]);
        const button = mayAct() && !response.node ? el('button', {
            type: 'button',
            class: 'danger small',
            onclick: async () => {
                await kick(response);
                this.poller.soon(0);
            },
        }, 'Kick') : null;
        this.element.replaceChildren(
            this.#back(),
            el('h1', {}, el('span', {class: 'number'}, `#${response.connection} `), name(response.name ?? '')),
            el('div', {class: 'panel'},
                el('h2', {}, el('span', {class: 'kind'}, response.protocol ?? ''), el('span', {class: 'facts'},
                    response.node ? `connected to node ${visible(response.node)}` : ['open for ', running(at - response.open_s * 1000)]), button),
                el('h3', {}, `Holds ${count(response.holds)}`),
                table('Holds', ['Kind', 'Key', 'Mode', 'State', 'Held for', 'Lease left', 'Fence'], holding, 'No holds.'),
                el('h3', {}, `Waits for ${count(response.waits)}`),
                table('Waits', ['Kind', 'Key', 'Mode', 'Position', 'Waited', 'Timeout in'], waiting, 'No waits.')));
        if (focused) {
            button?.focus();
        }
        this.tick(now());
    }
}
