// Dialogs: token, confirmation, help. Native dialogs trap the focus, and Escape closes them.

import {access} from './api.js';
import {el} from './dom.js';

function show(dialog) {
    document.body.append(dialog);
    dialog.addEventListener('close', () => dialog.remove());
    dialog.showModal();
}

/**
 * Asks for a confirmation and an optional reason. Resolves with {reason}, or null if cancelled.
 *
 * @param reason label of the reason field; null for no field
 */
export function confirm({title, lines, action, reason: label = 'Reason (optional)'}) {
    return new Promise(resolve => {
        const reason = el('input', {type: 'text', name: 'reason', maxlength: '200', autocomplete: 'off', placeholder: 'for the audit log'});
        let confirmation = null;
        const dialog = el('dialog', {class: 'ask', 'aria-labelledby': 'ask-title'},
            el('form', {
                onsubmit: event => {
                    event.preventDefault();
                    confirmation = {reason: reason.value.trim()};
                    dialog.close();
                },
            },
            el('h2', {id: 'ask-title'}, title),
            lines.map(line => el('p', {}, line)),
            label === null ? null : el('label', {}, label, reason),
            el('div', {class: 'buttons'},
                el('button', {type: 'button', class: 'plain', autofocus: true, onclick: () => dialog.close()}, 'Cancel'),
                el('button', {type: 'submit', class: 'danger'}, action))));
        dialog.addEventListener('close', () => resolve(confirmation));
        show(dialog);
    });
}

let signIn = null;

/** Asks for the token. Escape does not close the dialog, because nothing can be shown without a token. */
export function requestToken() {
    if (signIn) {
        return;
    }
    const token = el('input', {type: 'password', name: 'token', required: true, autocomplete: 'current-password', spellcheck: 'false'});
    signIn = el('dialog', {class: 'ask', id: 'signin', 'aria-labelledby': 'signin-title', oncancel: event => event.preventDefault()},
        el('form', {
            onsubmit: event => {
                event.preventDefault();
                const value = token.value.trim();
                signIn.close();
                signIn = null;
                access.set(value);
            },
        },
        el('h2', {id: 'signin-title'}, 'This server requires a token'),
        access.refused
            ? el('p', {class: 'bad', role: 'alert'}, 'The server refused the token.')
            : el('p', {}, 'The secret of the server, or its read-only token.'),
        el('label', {}, 'Token', token),
        el('p', {class: 'dim'}, 'It is kept until you close this tab, and sent only to this server.'),
        el('div', {class: 'buttons'}, el('button', {type: 'submit', class: 'primary'}, 'Sign in'))));
    show(signIn);
    token.focus();
}

const KEYS = [
    ['/', 'search'],
    ['j k ↓ ↑', 'next, previous row'],
    ['Page Up Page Down Home End', 'next, previous page; first, last row'],
    ['Enter', 'open the row'],
    ['Esc', 'clear the search; go back'],
    ['1 2 3 4 5', 'keys, connections, waits, signals, charts'],
    ['r', 'refresh now'],
    ['t', 'theme: system, dark, light'],
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
