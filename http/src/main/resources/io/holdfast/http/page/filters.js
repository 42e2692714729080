// The search field, the choices beside it, and their place in the address.

import {el} from './dom.js';

export function searchField(placeholder, onChange) {
    return el('input', {
        type: 'search',
        class: 'search',
        placeholder: `${placeholder}  ( / )`,
        'aria-label': placeholder,
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: event => onChange(event.target.value),
    });
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
