// What a person with permission can do to others, each after a confirmation.

import {call} from './api.js';
import {confirm, toast} from './dialogs.js';
import {counted, encode, keyCode, keyText} from './format.js';
import {idOf} from './keys.js';
import {connectionText} from './parts.js';

const OWN_MS = 15_000;

/** What this page has done of late, or is doing: the answer to it is shown, so the event about it is not. */
const own = new Set();

/** Does it and shows what became of it. */
async function act(what, task) {
    own.add(what);
    setTimeout(() => own.delete(what), OWN_MS);
    try {
        toast(await task());
    } catch (error) {
        own.delete(what);
        toast(explain(error), true);
    }
}

/** Whether an audit event is about something that this page has done; once for each. */
export function isOwn(audit) {
    return own.delete(audit.action === 'kick' ? `kick ${audit.connection}` : `release ${idOf(audit)}`);
}

function explain(error) {
    switch (error.code) {
        case 'not_held':
            return 'Nothing was released: that hold had ended already.';
        case 'no_connection':
            return 'That connection had ended already.';
        case 'not_kickable':
            return `That connection cannot be kicked: ${error.message}.`;
        case 'not_found':
            return 'The server does not allow this here.';
        default:
            return `That failed: ${error.message}`;
    }
}

/** @param hold one holder, or null for all of them */
export async function release(entry, resource, hold) {
    const key = keyText(entry.key, entry.key_encoded);
    const waiting = resource.waiters_total;
    const lines = [
        hold
            ? `${connectionText(hold)} loses its hold on ${resource.kind} ${key}.`
            : `All ${counted(resource.holders_total, 'holder')} lose their hold on ${resource.kind} ${key}.`,
        waiting > 0
            ? `The next in line (of ${counted(waiting, 'waiter')}) gets it at once.`
            : 'Nobody waits for it.',
        'The fence moves on, so that a resource that checks fences refuses the old holder. '
            + 'A holder that does not check may still be at work: make sure that it is not.',
    ];
    const answer = await confirm({title: `Release ${key}?`, lines, action: 'Release'});
    if (answer === null) {
        return;
    }
    const body = {kind: resource.kind};
    if (hold?.fence) {
        body.fence = hold.fence;
    }
    if (answer.reason) {
        body.reason = answer.reason;
    }
    await act(`release ${idOf({...entry, kind: resource.kind})}`, async () => {
        const query = `key=${keyCode(entry)}&namespace=${encode(entry.namespace)}`;
        const {released} = await call('POST', `/v1/admin/keys/-/release?${query}`, {body});
        return `Released ${counted(released, 'hold')} on ${key}.`;
    });
}

export async function kick(connection) {
    const {holds, waits} = connection;
    const lines = [
        `${connectionText(connection)} is closed.`,
        `It holds ${counted(holds, 'key')}, which pass on to the next in line, and waits for ${counted(waits, 'key')}, where it loses its place.`,
        'A client that reconnects by itself will be back at once, without them.',
    ];
    const answer = await confirm({title: `Kick connection ${connection.connection}?`, lines, action: 'Kick'});
    if (answer === null) {
        return;
    }
    await act(`kick ${connection.connection}`, async () => {
        const body = answer.reason ? {reason: answer.reason} : undefined;
        await call('DELETE', `/v1/admin/connections/${connection.connection}`, {body});
        return `Closed connection ${connection.connection}.`;
    });
}
