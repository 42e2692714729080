// Operator actions: release and kick, each after a confirmation.

import {call} from './api.js';
import {confirm, toast} from './dialogs.js';
import {counted, encode, keyCode, keyText} from './format.js';
import {idOf} from './keys.js';
import {connectionText} from './parts.js';

const OWN_MS = 15_000;

/** Recent actions of this page. Their result is shown, so the audit events about them are not. */
const own = new Set();

/** Runs an action and shows its result. */
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

/** Whether an audit event is about an action of this page; true once for each action. */
export function isOwn(audit) {
    return own.delete(audit.action === 'kick' ? `kick ${audit.connection}` : `release ${idOf(audit)}`);
}

function explain(error) {
    switch (error.code) {
        case 'not_held':
            return 'Nothing was released: the hold had already ended.';
        case 'no_connection':
            return 'The connection had already ended.';
        case 'not_kickable':
            return `The connection cannot be kicked: ${error.message}.`;
        case 'not_found':
            return 'This action is not enabled on the server.';
        default:
            return `The action failed: ${error.message}`;
    }
}

/**
 * @param hold the hold to release, or null for all holds
 */
export async function release(entry, resource, hold) {
    const key = keyText(entry.key, entry.key_encoded);
    const waiting = resource.waiters_total;
    const lines = [
        hold
            ? `${connectionText(hold)} loses its hold on ${resource.kind} ${key}.`
            : `All ${counted(resource.holders_total, 'holder')} lose their hold on ${resource.kind} ${key}.`,
        waiting > 0
            ? `It is granted to the next of ${counted(waiting, 'waiter')} at once.`
            : 'It has no waiters.',
        'The next fence is higher, so a resource that checks fences rejects the old holder. '
            + 'The old holder may still be working without a check: make sure that it is not.',
    ];
    const confirmation = await confirm({title: `Release ${key}?`, lines, action: 'Release'});
    if (confirmation === null) {
        return;
    }
    const body = {kind: resource.kind};
    if (hold?.fence) {
        body.fence = hold.fence;
    }
    if (confirmation.reason) {
        body.reason = confirmation.reason;
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
        `It holds ${counted(holds, 'key')}, which are granted to the next waiters, and waits for ${counted(waits, 'key')}, where it loses its position.`,
        'A client that reconnects automatically will be back at once, without these holds and positions.',
    ];
    const confirmation = await confirm({title: `Kick connection ${connection.connection}?`, lines, action: 'Kick'});
    if (confirmation === null) {
        return;
    }
    await act(`kick ${connection.connection}`, async () => {
        const body = confirmation.reason ? {reason: confirmation.reason} : undefined;
        await call('DELETE', `/v1/admin/connections/${connection.connection}`, {body});
        return `Closed connection ${connection.connection}.`;
    });
}
