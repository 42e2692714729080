// Elements that several views share.

import {el, setClass, setText} from './dom.js';
import {connectionHref, name, span, visible} from './format.js';

export function kindChip(kind) {
    return el('span', {class: `kind ${kind}`}, kind);
}

export function connectionLink(entry) {
    return el('a', {class: 'who', href: connectionHref(entry.connection)},
        el('span', {class: 'number'}, `#${entry.connection}`), ' ', name(entry.name ?? ''));
}

export function connectionText(entry) {
    return `Connection ${entry.connection} (${[visible(entry.name ?? ''), entry.protocol].filter(Boolean).join(', ')})`;
}

/** The remaining time of a lease: a number that counts down, and a bar. */
export function makeLease(cell) {
    const text = el('span', {class: 'left'});
    const bar = el('i', {});
    const track = el('span', {class: 'lease', 'aria-hidden': 'true'}, bar);
    cell.append(text, track);
    return {text, bar, track};
}

export function tickLease({text, bar, track}, row, now) {
    const {leaseEnd, leaseFull, holders} = row;
    const counting = holders !== 0 && leaseEnd !== null && leaseEnd !== undefined;
    track.hidden = !counting;
    if (!counting) {
        setText(text, holders === 0 ? '' : leaseEnd === null ? 'no expiry' : '…');
        setClass(text, 'left dim');
        return;
    }
    const left = Math.max(0, leaseEnd - now);
    const share = leaseFull ? Math.min(1, left / leaseFull) : 1;
    setText(text, left === 0 ? 'due' : span(left / 1000));
    setClass(text, share < 0.2 ? 'left low' : 'left');
    setClass(bar, share < 0.2 ? 'low' : '');
    bar.style.transform = `scaleX(${share.toFixed(3)})`;
}

/** An element whose text is a duration that counts up (or down) with the page's clock. */
export function running(anchor, {down = false, none = '–'} = {}) {
    const element = el('span', {class: 'time'});
    element.tick = now => {
        setText(element, anchor === null ? none : span((down ? anchor - now : now - anchor) / 1000));
    };
    return element;
}

/** A small table; each row is a list of elements or texts. */
export function table(label, titles, rows, empty) {
    if (rows.length === 0) {
        return el('p', {class: 'empty'}, empty);
    }
    return el('div', {class: 'scroll'}, el('table', {'aria-label': label},
        el('thead', {}, el('tr', {}, titles.map(title => el('th', {scope: 'col'}, title)))),
        el('tbody', {}, rows.map(row => el('tr', {class: row.mark}, (row.cells ?? row).map((cell, i) =>
            el('td', {'data-title': titles[i]}, cell)))))));
}

export function tickAll(element, now) {
    for (const each of element.querySelectorAll('.time')) {
        each.tick?.(now);
    }
    for (const each of element.querySelectorAll('.leasecell')) {
        tickLease(each.parts, each.row, now);
    }
}

export function leaseCell(row) {
    const cell = el('span', {class: 'leasecell'});
    cell.parts = makeLease(cell);
    cell.row = row;
    return cell;
}

const RUNNING = ['held_s', 'waited_s', 'open_s', 'since'];

/** Two responses with the same shape differ only in elapsed time. */
export function shapeOf(...values) {
    return JSON.stringify(values, (field, value) => (
        RUNNING.includes(field) ? undefined : field.endsWith('_left_s') && value !== null ? 'runs' : value));
}

/** The lease of a hold, on the page's clock; its duration is estimated as in the table of keys. */
export function leaseOf(hold, at, known = {holders: 1}) {
    if (hold.lease_left_s === null) {
        known.leaseEnd = null;
        return known;
    }
    const end = at + hold.lease_left_s * 1000;
    if (known.leaseEnd === undefined) {
        known.leaseFull = (hold.lease_left_s + hold.held_s) * 1000;
    } else if (end > known.leaseEnd + 500) {
        known.leaseFull = hold.lease_left_s * 1000;
    } else if (end > known.leaseEnd) {
        return known; // not renewed, only more latency
    }
    known.leaseEnd = end;
    return known;
}

/** Leases may have been renewed, for which there are no events. */
export function updateLeases(element, holds, at) {
    element.querySelectorAll('.leasecell').forEach((cell, i) => leaseOf(holds[i], at, cell.row));
}
