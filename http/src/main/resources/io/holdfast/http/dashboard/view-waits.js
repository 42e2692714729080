// The wait-for graph: deadlocks first, then trees whose roots are sessions that do not wait.

import {el} from './dom.js';
import {count, counted, keyHref, name, visible} from './format.js';
import {connectionLink, kindChip, running, shapeOf, tickAll} from './parts.js';
import {isCertain, now} from './state.js';

const MOST_NODES = 400;

function keyLink(entry) {
    return el('a', {class: 'keylink', href: keyHref(entry)}, kindChip(entry.kind), ' ',
        entry.namespace ? el('bdi', {class: 'namespace'}, visible(entry.namespace) + ' / ') : null, name(entry.key, entry.key_encoded));
}

export class WaitsView {
    title = 'Waits';
    element = el('section', {class: 'view page', 'aria-label': 'Waits'});
    poller;
    #shown = '';

    /**
     * @param source polls /v1/waits even while this view is not shown, because deadlocks concern every view
     */
    constructor(source) {
        this.poller = source;
    }

    enter() {
        this.#shown = '';
        this.element.replaceChildren(el('p', {class: 'empty'}, 'Loading…'));
        this.poller.now();
    }

    leave() {}

    refresh() {
        this.poller.now();
    }

    event(type) {
        if (type !== 'audit') {
            this.poller.soon(1000);
        }
    }

    tick(time) {
        tickAll(this.element, time);
    }

    draw({waits, cycles, truncated}, at) {
        const shape = shapeOf(waits, cycles, truncated);
        if (shape === this.#shown) {
            return;
        }
        this.#shown = shape;
        const stuck = new Set(cycles.flat().map(each => each.connection));
        this.element.replaceChildren(
            ...cycles.map(cycle => this.#cycle(cycle)),
            ...(truncated ? [el('p', {class: 'warn'}, 'There are more waits than the server returns at once: only a part is shown.')] : []),
            waits.length === 0 ? el('p', {class: 'empty'}, 'No waiters.') : this.#forest(waits, stuck, at));
        this.tick(now());
    }

    #cycle(cycle) {
        const steps = cycle.flatMap(member => [
            el('li', {class: 'member'}, connectionLink(member), el('span', {class: 'dim'}, member.protocol ?? '')),
            el('li', {class: 'step'}, 'waits for ', keyLink(member), ', held by'),
        ]);
        steps.push(el('li', {class: 'member again'}, connectionLink(cycle[0])));
        const certain = isCertain(cycle);
        const label = certain ? 'Deadlock' : 'Possible deadlock';
        return el('div', {class: 'panel cycle', role: 'alert'},
            el('h2', {}, el('span', {class: 'sign', 'aria-hidden': 'true'}, '↻'),
                cycle.length === 1 ? `${label}: a connection waits for itself` : `${label}: ${cycle.length} connections wait for each other`),
            el('ol', {class: 'ring'}, steps),
            certain ? null : el('p', {class: 'dim'},
                'One of these connections executes several requests at once: if another of its threads holds the key, it may release it, and all can proceed.'),
            el('p', {class: 'dim'}, 'They can proceed when a lease or a timeout ends, when one of these keys is released, or when one of these connections is kicked.'));
    }

    #forest(waits, stuck, at) {
        const blocks = new Map(); // connection -> waits shown below it: each wait once, below its first blocker
        const byConnection = new Map();
        const waiting = new Set();
        const unblocked = [];
        for (const wait of waits) {
            byConnection.set(wait.connection, wait);
            waiting.add(wait.connection);
            const first = wait.blocked_by[0];
            if (!first) {
                unblocked.push(wait);
                continue;
            }
            for (const each of wait.blocked_by) {
                if (!byConnection.has(each.connection)) {
                    byConnection.set(each.connection, each);
                }
            }
            if (!blocks.has(first.connection)) {
                blocks.set(first.connection, []);
            }
            blocks.get(first.connection).push(wait);
        }
        const sizes = new Map();
        const sizeOf = start => {
            const seen = new Set([start]);
            const todo = [start];
            let size = 0;
            while (todo.length > 0) {
                for (const wait of blocks.get(todo.pop()) ?? []) {
                    size++;
                    if (!seen.has(wait.connection)) {
                        seen.add(wait.connection);
                        todo.push(wait.connection);
                    }
                }
            }
            return size;
        };
        const free = [...blocks.keys()].filter(connection => !waiting.has(connection));
        free.forEach(connection => sizes.set(connection, sizeOf(connection)));
        free.sort((a, b) => sizes.get(b) - sizes.get(a) || a - b);
        const drawn = new Set();
        const budget = {left: MOST_NODES};
        const roots = [];
        for (const connection of [...free, ...stuck, ...blocks.keys()]) {
            if (budget.left > 0 && blocks.has(connection) && !drawn.has(connection)) {
                roots.push(this.#root(byConnection.get(connection) ?? {connection}, blocks, drawn, stuck, budget, at));
            }
        }
        for (const wait of unblocked.slice(0, Math.max(0, budget.left))) {
            roots.push(el('li', {class: 'wait'}, this.#wait(wait, at)));
        }
        const hint = free.length === 0 ? ''
            : stuck.size === 0 ? 'The roots of the trees do not wait: start with them.'
                : 'The roots that are not marked do not wait: start with them.';
        return el('div', {class: 'panel'},
            el('h2', {}, 'Wait-for graph'),
            el('p', {class: 'dim'}, `${counted(waits.length, 'wait')}. ${hint}`),
            el('ul', {class: 'tree'}, roots),
            budget.left <= 0 ? el('p', {class: 'dim'}, 'Only a part is shown.') : null);
    }

    #root(blocker, blocks, drawn, stuck, budget, at) {
        drawn.add(blocker.connection);
        const item = el('li', {class: stuck.has(blocker.connection) ? 'blocker stuck' : 'blocker'},
            el('div', {class: 'line'}, connectionLink(blocker), el('span', {class: 'dim'}, `blocks ${count(blocks.get(blocker.connection).length)}`)));
        this.#children(item, blocker.connection, blocks, drawn, stuck, budget, at, 0);
        return item;
    }

    #children(item, connection, blocks, drawn, stuck, budget, at, depth) {
        const below = (blocks.get(connection) ?? []).toSorted((a, b) =>
            (a.key < b.key ? -1 : a.key > b.key ? 1 : (a.position ?? 0) - (b.position ?? 0)));
        const list = el('ul', {});
        for (const wait of below) {
            if (budget.left-- <= 0) {
                break;
            }
            const again = drawn.has(wait.connection);
            const child = el('li', {class: stuck.has(wait.connection) ? 'wait stuck' : 'wait'}, this.#wait(wait, at));
            if (!again && depth < 30) {
                drawn.add(wait.connection);
                this.#children(child, wait.connection, blocks, drawn, stuck, budget, at, depth + 1);
            } else if (blocks.has(wait.connection)) {
                child.firstChild.append(el('span', {class: 'dim'}, stuck.has(wait.connection) ? '↻ see above' : 'see above'));
            }
            list.append(child);
        }
        if (list.children.length > 0) {
            item.append(list);
        }
    }

    #wait(wait, at) {
        const others = wait.blocked_by.length - 1;
        return el('div', {class: 'line'},
            connectionLink(wait),
            el('span', {class: 'dim'}, 'waits for'),
            keyLink(wait),
            wait.mode === 'read' ? el('span', {class: 'dim'}, 'for reading') : null,
            wait.position ? el('span', {class: 'dim'}, `position ${count(wait.position)}`) : null,
            running(at - wait.waited_s * 1000),
            others > 0 ? el('span', {class: 'dim'}, `also blocked by ${counted(others, 'other')}`) : null);
    }
}
