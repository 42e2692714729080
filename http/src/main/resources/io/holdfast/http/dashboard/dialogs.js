// Questions to the person: a token, a confirmation, help. Native dialogs: they trap focus, and Escape closes them.

import {access} from './api.js';
import {el} from './dom.js';

function show(dialog) {
    document.body.append(dialog);
    dialog.addEventListener('close', () => dialog.remove());
    dialog.showModal();
}

/**
 * What is about to happen, and why. Resolves with {reason} or null.
 *
 * @param reason the label of the field for it; null if there is none
 */
export function confirm({title, lines, action, reason: label = 'Reason (optional)'}) {
    return new Promise(resolve => {
        const reason = el('input', {type: 'text', name: 'reason', maxlength: '200', autocomplete: 'off', placeholder: 'for the audit log'});
        let answer = null;
        const dialog = el('dialog', {class: 'ask', 'aria-labelledby': 'ask-title'},
            el('form', {
                onsubmit: event => {
                    event.preventDefault();
                    answer = {reason: reason.value.trim()};
                    dialog.close();
                },
            },
            el('h2', {id: 'ask-title'}, title),
            lines.map(line => el('p', {}, line)),
            label === null ? null : el('label', {}, label, reason),
            el('div', {class: 'buttons'},
                el('button', {type: 'button', class: 'plain', autofocus: true, onclick: () => dialog.close()}, 'Cancel'),
                el('button', {type: 'submit', class: 'danger'}, action))));
        dialog.addEventListener('close', () => resolve(answer));
        show(dialog);
    });
}

let asking = null;

/** Asks for the token. There is nothing to see without one, so that Escape does not close it. */
export function askToken() {
    if (asking) {
        return;
    }
    const token = el('input', {type: 'password', name: 'token', required: true, autocomplete: 'current-password', spellcheck: 'false'});
    asking = el('dialog', {class: 'ask', id: 'signin', 'aria-labelledby': 'signin-title', oncancel: event => event.preventDefault()},
        el('form', {
            onsubmit: event => {
                event.preventDefault();
                const value = token.value.trim();
                asking.close();
                asking = null;
                access.set(value);
            },
        },
        el('h2', {id: 'signin-title'}, 'This server wants a token'),
        access.refused
            ? el('p', {class: 'bad', role: 'alert'}, 'The server refused that token.')
            : el('p', {}, 'The secret of the server, or its read-only token.'),
        el('label', {}, 'Token', token),
        el('p', {class: 'dim'}, 'It is kept in this tab until you close it, and sent to this server alone.'),
        el('div', {class: 'buttons'}, el('button', {type: 'submit', class: 'primary'}, 'Sign in'))));
    show(asking);
    token.focus();
}

const KEYS = [
    ['/', 'search'],
    ['j k ↓ ↑', 'next, previous row'],
    ['Page Up Page Down Home End', 'further'],
    ['Enter', 'open the row'],
    ['Esc', 'clear the search; go back'],
    ['1 2 3 4 5', 'keys, connections, waits, signals, charts'],
    ['r', 'ask the server again, now'],
    ['t', 'colours: as the system, dark, light'],
    ['?', 'this help'],
];

export function help() {
    const dialog = el('dialog', {class: 'ask', 'aria-labelledby': 'help-title'},
        el('h2', {id: 'help-title'}, 'Keyboard'),
        el('dl', {class: 'keysheet'}, KEYS.map(([keys, what]) => [
            el('dt', {}, keys.match(/Page Up|Page Down|\S+/g).map(key => el('kbd', {}, key))),
            el('dd', {}, what),
        ])),
        el('div', {class: 'buttons'},
            el('button', {type: 'button', class: 'primary', autofocus: true, onclick: () => dialog.close()}, 'Close')));
    show(dialog);
}

export function toast(text, bad = false) {
    const note = el('div', {class: bad ? 'toast bad' : 'toast'}, text);
    const toasts = document.getElementById('toasts');
    toasts.append(note);
    while (toasts.children.length > 4) {
        toasts.firstChild.remove();
    }
    setTimeout(() => note.remove(), 6000);
}
