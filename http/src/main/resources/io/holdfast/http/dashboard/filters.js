// The search field, the filters beside it, and their state in the URL.

import {el} from './dom.js';

export function searchField(placeholder, onChange) {
    const input = el('input', {
        type: 'search',
        class: 'search',
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: event => onChange(event.target.value),
    });
    input.setLabel = text => {
        input.placeholder = `${text}  ( / )`;
        input.setAttribute('aria-label', text);
    };
    input.setLabel(placeholder);
    return input;
}

/** A row of buttons, of which one is selected. */
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
 * Whether a list is longer than this page loads, so that the server has to search it. Depends on the length of the
 * whole list, not of a search result, and has a hysteresis.
 */
export class Reach {
    total = null;
    beyond = false;
    #max;
    #at = -Infinity;

    constructor(max) {
        this.#max = max;
    }

    /**
     * @return whether the search moves to the server, or back to the page
     */
    learn(total, time) {
        const before = this.beyond;
        this.total = total;
        this.#at = time;
        this.beyond = total > (before ? this.#max * 0.9 : this.#max);
        return this.beyond !== before;
    }

    /** While only matches are loaded, the total length has to be requested from time to time. */
    isOld(time) {
        return time - this.#at > 20_000;
    }
}

/** Sorts by a column, or reverses the order if it is the current one. Numeric columns start with the largest. */
export function nextSort(current, id, largestFirst) {
    if (current.sort === id) {
        current.descending = !current.descending;
    } else {
        current.sort = id;
        current.descending = largestFirst.includes(id);
    }
}

/** The last URL hash of each list, to return to. */
export const lastSeen = {keys: '#/keys', connections: '#/connections'};

/** Updates the URL to the filters, without a new history entry. */
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
