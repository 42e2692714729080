// Formats of numbers, times and names.

import {el} from './dom.js';

const whole = new Intl.NumberFormat('en');

export function count(n) {
    return n === null || n === undefined ? '–' : whole.format(n);
}

export function counted(n, one, many = one + 's') {
    return `${count(n)} ${n === 1 ? one : many}`;
}

/** A rate or a time in a chart, with three significant digits. */
export function rough(n) {
    if (n === null || n === undefined) {
        return '–';
    }
    if (n >= 1e6) {
        return (n / 1e6).toFixed(n >= 1e7 ? 0 : 1) + 'M';
    }
    if (n >= 1e4) {
        return (n / 1e3).toFixed(n >= 1e5 ? 0 : 1) + 'k';
    }
    if (n >= 100 || Number.isInteger(n)) {
        return whole.format(Math.round(n));
    }
    return n.toFixed(n >= 10 ? 1 : 2);
}

const two = n => String(n).padStart(2, '0');

/** A duration in seconds. Below a minute it has tenths, so that a countdown is seen to run. */
export function span(seconds) {
    if (seconds === null || seconds === undefined) {
        return '–';
    }
    const s = Math.max(0, seconds);
    if (s < 60) {
        return (Math.floor(s * 10) / 10).toFixed(1) + ' s';
    }
    const t = Math.floor(s);
    if (t < 3600) {
        return `${Math.floor(t / 60)}m ${two(t % 60)}s`;
    }
    if (t < 86400) {
        return `${Math.floor(t / 3600)}h ${two(Math.floor(t / 60) % 60)}m`;
    }
    return `${Math.floor(t / 86400)}d ${Math.floor(t / 3600) % 24}h`;
}

export function millis(ms) {
    if (ms === null || ms === undefined) {
        return '–';
    }
    return ms < 1000 ? `${rough(ms)} ms` : span(ms / 1000);
}

export function clock(iso) {
    const at = new Date(iso);
    if (Number.isNaN(at.getTime())) {
        return String(iso);
    }
    const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    const day = at.toDateString() === new Date().toDateString() ? '' : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `;
    return `${day}${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

// Control characters, format characters (including those that change the direction of text), private use, lone
// surrogates and line separators would hide or disguise a key.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

export function visible(text) {
    return text.replace(INVISIBLE, c => `⟨${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

const MAX_LENGTH = 2000;

/** A name that a client chose, isolated from the direction of the text around it. */
export function name(text, encoded) {
    if (text === '') {
        return el('bdi', {class: 'name none'}, '(empty)');
    }
    const shown = visible(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) + '…' : text);
    const hint = encoded ? `not UTF-8: ${encoded}` : shown;
    return el('bdi', {class: encoded ? 'name raw' : 'name', title: hint.slice(0, 400)}, shown);
}

export function keyText(text, encoded) {
    if (text === '') {
        return '(empty)';
    }
    return encoded ? encoded : visible(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) + '…' : text);
}

/** Percent-encodes for a path or query; lone surrogates become the replacement character. */
export function encode(text) {
    return encodeURIComponent(text.toWellFormed());
}

/** The percent-encoded bytes of a key, for a URL. */
export function keyCode(entry) {
    return entry.key_encoded ?? encode(entry.key);
}

export function keyHref(entry) {
    let href = `#/key?key=${keyCode(entry)}`;
    if (entry.namespace) {
        href += `&namespace=${encode(entry.namespace)}`;
    }
    return href;
}

export function connectionHref(number) {
    return `#/connection?number=${number}`;
}
