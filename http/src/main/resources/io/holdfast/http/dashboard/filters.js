// The search field, the choices beside it, and their place in the address.

import {el} from './dom.js';

export function searchField(placeholder, onChange) {
    const input = el('input', {
        type: 'search',
        class: 'search',
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: event => onChange(event.target.value),
    });
    input.promise = text => {
        input.placeholder = `${text}  ( / )`;
        input.setAttribute('aria-label', text);
    };
    input.promise(placeholder);
    return input;
}

/** One of a few: a row of buttons. */
export function choice(label, options, onChange) {
    const element = el('div', {class: 'choice', role: 'group', 'aria-label': label});
    const buttons = options.map(([value, text]) => el('button', {
        type: 'button',
        onclick: () => onChange(value),
        'data-value': value,
    }, text));
    element.append(...buttons);
    element.show = value => buttons.forEach(button => button.setAttribute('aria-pressed', String(button.dataset.value === value)));
    return element;
}

/**
 * Whether a list is longer than this page loads, so that the server has to search it. Decided by the length of the whole
 * list, never by what a search found; and not turned back by a few entries less.
 */
export class Reach {
    total = null;
    beyond = false;
    #most;
    #at = -Infinity;

    constructor(most) {
        this.#most = most;
    }

    /** @return whether this changes who searches */
    learn(total, time) {
        const before = this.beyond;
        this.total = total;
        this.#at = time;
        this.beyond = total > (before ? this.#most * 0.9 : this.#most);
        return this.beyond !== before;
    }

    /** While only matches are loaded, the length of the list has to be asked for now and then. */
    isOld(time) {
        return time - this.#at > 20_000;
    }
}

/** Sort by a column; once more turns the order. Numbers begin with the largest. */
export function nextSort(current, id, largestFirst) {
    if (current.sort === id) {
        current.descending = !current.descending;
    } else {
        current.sort = id;
        current.descending = largestFirst.includes(id);
    }
}

/** The address of each list as it was last seen, to go back to. */
export const lastSeen = {keys: '#/keys', connections: '#/connections'};

/** Keeps the address in step with the filters, without a new entry in the history. */
export function remember(view, values) {
    const parts = Object.entries(values).filter(([, value]) => value !== '' && value !== null)
        .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
    const hash = `#/${view}${parts.length ? '?' + parts.join('&') : ''}`;
    lastSeen[view] = hash;
    if (location.hash !== hash) {
        history.replaceState(null, '', hash);
    }
}

export function debounce(task, delay) {
    let timer = 0;
    return () => {
        clearTimeout(timer);
        timer = setTimeout(task, delay);
    };
}
