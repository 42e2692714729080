// The dashboard: selects the view, and shows the totals above it, the state of the connection to the server, and the
// keyboard shortcuts.

import {isOwn} from './actions.js';
import {access, contact, get} from './api.js';
import {spark} from './chart.js';
import {confirm, help, requestToken, toast} from './dialogs.js';
import {el, setClass, setText} from './dom.js';
import {lastSeen} from './filters.js';
import {count, counted, keyText, millis, rough, span} from './format.js';
import {idOf} from './keys.js';
import {Live} from './live.js';
import {Poller} from './poller.js';
import {isCertain, now, state, updateStale} from './state.js';
import {ChartsView} from './view-charts.js';
import {ConnectionView} from './view-connection.js';
import {ConnectionsView} from './view-connections.js';
import {KeyView} from './view-key.js';
import {KeysView} from './view-keys.js';
import {SignalsView} from './view-signals.js';
import {WaitsView} from './view-waits.js';

const TICK_MS = 100;
const byId = id => document.getElementById(id);

// Totals

const TILES = [
    {title: 'Held', of: o => count(o.totals.locks_held + o.totals.semaphore_holders + o.totals.shared_holders), line: 'held'},
    {title: 'Waiting', of: o => count(o.totals.lock_waiters + o.totals.semaphore_waiters), line: 'waiting'},
    {title: 'Connections', of: o => count(o.totals.connections), line: 'connections'},
    {title: 'Acquired', of: o => `${rough(o.series.acquired.at(-1) ?? 0)}/s`, line: 'acquired'},
    {title: 'Longest wait', hint: 'The longest current wait', of: o => span(o.totals.longest_wait_s), line: 'longest_wait_ms'},
    {title: 'Wait, p99', hint: '99th percentile of the wait times, including current waits', of: o => millis(o.series.wait_p99_ms.findLast(value => value !== null) ?? null), line: 'wait_p99_ms'},
    {
        title: 'Failures, 1 min',
        hint: 'Deadlocks, if there are any; otherwise timeouts, expired leases and lost holds',
        of: o => (state.cycles > 0 ? counted(state.cycles, 'deadlock') + (state.certain > 0 ? '' : '?')
            : count(Math.round(failures(o).reduce((a, b) => a + b, 0)))),
        bad: () => state.cycles > 0,
        values: failures,
    },
];

function failures({series}) {
    return series.timed_out.map((value, i) => (value ?? 0) + (series.expired[i] ?? 0) + (series.lost[i] ?? 0));
}

const tiles = TILES.map(tile => {
    const value = el('b', {}, '–');
    const line = spark();
    const title = `${tile.hint ?? tile.title}: the last minute`;
    byId('strip').append(el('div', {class: 'tile', title}, el('span', {}, tile.title), value, line.element));
    return {...tile, value, spark: line};
});

function showTotals() {
    for (const tile of state.overview ? tiles : []) {
        setText(tile.value, tile.of(state.overview));
        setClass(tile.value, tile.bad?.() ? 'bad' : '');
    }
}

/**
 * When the last response with totals was requested, and when the last event of a new wait, or a gap in the events,
 * arrived.
 */
let overviewBegan = -Infinity;
let waitSeen = -Infinity;

const totals = new Poller(async (signal, began) => {
    const overview = await get('/v1/overview?points=60', signal);
    const before = state.overview;
    state.overview = overview;
    overviewBegan = began;
    showTotals();
    for (const tile of tiles) {
        tile.spark.set(tile.values ? tile.values(overview) : overview.series[tile.line] ?? []);
    }
    showRole(overview);
    showNode(overview.cluster);
    showStatus(); // also while the tab is hidden, because its title is visible
    if (before && before.admin !== overview.admin) {
        current?.refresh();
    }
}, () => 2500);

// Deadlocks

/** A deadlock is shown within a second, unless detection takes long. */
const DEADLOCK_MS = 800;
const NO_WAITS = {waits: [], cycles: [], truncated: false};
let waitsCost = 0;

/** The waits view needs all waits, the other views only the deadlocks. Without waits there are no deadlocks. */
const waits = new Poller(async signal => {
    const sums = state.overview?.totals;
    const all = current === views.waits;
    const quiet = !all && live.state === 'live' && sums && !totals.failure && waitSeen < overviewBegan
        && sums.lock_waiters + sums.semaphore_waiters === 0;
    const response = quiet ? NO_WAITS : await get(all ? '/v1/waits' : '/v1/waits?limit=0', signal);
    const before = state.deadlocked;
    state.cycles = response.cycles.length;
    state.certain = response.cycles.filter(isCertain).length;
    state.deadlocked = new Map();
    for (const cycle of response.cycles) {
        for (const step of cycle) {
            state.deadlocked.set(idOf(step), state.deadlocked.get(idOf(step)) || isCertain(cycle));
        }
    }
    const badge = byId('cycles');
    badge.hidden = state.cycles === 0;
    setText(badge, deadlocks());
    showTotals();
    showTitle();
    if (all) {
        views.waits.draw(response, performance.now());
    }
    if (before.size + state.deadlocked.size > 0) {
        current?.deadlocksChanged?.();
    }
}, cost => {
    waitsCost = cost;
    return Math.max(DEADLOCK_MS, cost * 8);
});

// Views

const views = {
    keys: new KeysView(),
    key: new KeyView(),
    connections: new ConnectionsView(),
    connection: new ConnectionView(),
    waits: new WaitsView(waits),
    signals: new SignalsView(),
    charts: new ChartsView(),
};
const PARENTS = {key: 'keys', connection: 'connections'};
const ORDER = ['keys', 'connections', 'waits', 'signals', 'charts'];
let current = null;

function readHash() {
    const [, view = 'keys', query = ''] = /^#\/([a-z]+)(?:\?(.*))?$/.exec(location.hash) ?? [];
    const raw = {};
    for (const part of query.split('&')) {
        const at = part.indexOf('=');
        if (at > 0) {
            raw[part.slice(0, at)] = part.slice(at + 1);
        }
    }
    return {view: Object.hasOwn(views, view) ? view : 'keys', raw};
}

function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

function show() {
    if (location.hash === '#main') {
        byId('main').focus();
        return;
    }
    const {view, raw} = readHash();
    current?.leave();
    current = views[view];
    for (const link of byId('views').querySelectorAll('a')) {
        if (link.dataset.view === (PARENTS[view] ?? view)) {
            link.setAttribute('aria-current', 'page');
        } else {
            link.removeAttribute('aria-current');
        }
    }
    document.body.dataset.view = view;
    state.stale = false; // the next view decides
    byId('main').replaceChildren(current.element);
    current.enter(Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decode(value)])), raw);
    byId('main').focus({preventScroll: true});
    showStatus();
}

// Events

const live = new Live((type, data) => {
    current?.event(type, data, performance.now());
    if (type === 'audit' && !isOwn(data)) {
        const what = data.action === 'kick' ? `Connection ${data.connection} was kicked`
            : `${keyText(data.key, data.key_encoded)} was released by force`;
        toast(`${what}${data.reason ? `: ${data.reason}` : '.'}`);
    }
    if (type === 'waiting' || type === 'gap') {
        waitSeen = performance.now();
    }
    if (type === 'waiting' || type === 'gap' || state.cycles > 0) { // a deadlock begins with a wait
        waits.soon(Math.max(300, waitsCost * 8));
    }
});

// Connection to the server

const STATUS = {
    live: ['live', 'Live: changes are shown as they happen'],
    flooded: ['busy', 'Too many events to show each: polling every few seconds'],
    connecting: ['connecting', 'Opening the event stream'],
    broken: ['polling', 'The event stream failed: polling every few seconds'],
    paused: ['paused', 'The tab was hidden'],
};

function showStatus() {
    const before = state.stale;
    const silent = updateStale(current?.poller);
    if (state.stale !== before) {
        current?.tick(now()); // stops or restarts its clocks
    }
    const past = !access.needed && totals.oldSince(performance.now()) !== null;
    const failure = (state.stale && current?.poller.failure) || (past && totals.failure);
    const why = failure?.status ? `The server responds with an error (${failure.status}).` : 'The server does not respond.';
    const [text, hint] = access.needed ? ['locked', 'A token is required']
        : state.stale || past ? [failure?.status ? 'failing' : 'reconnecting', why]
            : state.overview?.ready === false ? ['draining', 'The server is shutting down']
                : STATUS[live.state];
    const chip = byId('status');
    setText(chip, text);
    setClass(chip, `chip ${text}`);
    chip.title = hint;
    document.body.classList.toggle('old', state.stale);
    byId('strip').classList.toggle('past', past);
    byId('cycles').classList.toggle('past', !access.needed && waits.oldSince(performance.now()) !== null);
    byId('stale').hidden = !state.stale;
    if (state.stale) {
        setText(byId('why'), why);
        setText(byId('age'), `The data shown is ${span(Math.floor(silent / 1000)).replace('.0', '')} old.`);
    }
    showTitle();
}

function deadlocks() {
    return state.certain > 0 ? counted(state.certain, 'deadlock') : counted(state.cycles, 'possible deadlock');
}

function showTitle() {
    const sums = state.overview?.totals;
    const waiting = sums ? sums.lock_waiters + sums.semaphore_waiters : 0;
    const trouble = state.stale ? '⚠ out of date'
        : state.cycles > 0 ? `⚠ ${deadlocks()}`
            : state.overview?.ready === false ? '⚠ draining'
                : waiting > 0 ? `${count(waiting)} waiting` : '';
    const title = [trouble, current?.title, 'Holdfast'].filter(Boolean).join(' · ');
    if (document.title !== title) {
        document.title = title;
    }
}

// Shows the role of this node in its cluster; a node that lags or does not serve clients is marked.
function showNode(cluster) {
    const chip = byId('node');
    chip.hidden = !cluster || cluster.mode === 'memory';
    if (chip.hidden) {
        return;
    }
    const lag = cluster.lag > 0 ? `, ${count(cluster.lag)} behind` : '';
    setText(chip, cluster.mode === 'standalone' ? 'durable' : `${cluster.node}: ${cluster.role}${lag}`);
    chip.title = `Term ${cluster.term}, leader ${cluster.leader ?? 'unknown'}, ${cluster.serving ? 'serving' : `not serving: ${cluster.reason}`}`;
}

function showRole({role, admin}) {
    const chip = byId('role');
    chip.hidden = false;
    setText(chip, admin ? 'admin' : role === 'read' ? 'read only' : role);
    chip.title = access.token === null ? 'This server requires no token' : 'Sign out: forget the token (after a confirmation)';
    chip.disabled = access.token === null;
}

byId('role').addEventListener('click', async () => {
    const lines = ['This tab forgets the token and the data it shows. You will need the token to sign in again.'];
    if (await confirm({title: 'Sign out?', lines, action: 'Sign out', reason: null})) {
        access.set(null);
        location.reload(); // clears all data that was shown
    }
});

access.addEventListener('needed', () => {
    live.stop();
    requestToken();
    showStatus();
});
access.addEventListener('changed', () => {
    live.stop('connecting');
    live.start();
    refresh();
});

function refresh() {
    totals.now();
    waits.now();
    current?.refresh();
}

document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
        refresh();
    }
});

// Colours

const THEMES = ['', 'dark', 'light'];
const THEME_SIGNS = {'': '◐', dark: '●', light: '○'};

function theme() {
    return document.documentElement.dataset.theme ?? '';
}

function showTheme() {
    setText(byId('theme'), THEME_SIGNS[theme()]);
    byId('theme').title = `Theme: ${theme() || 'system'} (t)`;
}

function changeTheme() {
    const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
    if (next === '') {
        delete document.documentElement.dataset.theme;
    } else {
        document.documentElement.dataset.theme = next;
    }
    try {
        localStorage.setItem('holdfast.theme', next);
    } catch {
        // The choice is lost when the page is closed.
    }
    showTheme();
}

byId('theme').addEventListener('click', changeTheme);
byId('help').addEventListener('click', help);

// Keyboard

function back() {
    const {view} = readHash();
    if (Object.hasOwn(PARENTS, view)) {
        location.hash = lastSeen[PARENTS[view]];
    }
}

document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) {
        return;
    }
    if (event.target.matches('input, textarea, select')) {
        if (event.key === 'Escape' && event.target === current?.search) {
            if (event.target.value !== '') {
                event.target.value = '';
                event.target.dispatchEvent(new Event('input'));
            }
            current.grid.element.focus();
            event.preventDefault();
        } else if ((event.key === 'ArrowDown' || event.key === 'Enter') && event.target === current?.search) {
            current.grid.move(0);
            event.preventDefault();
        }
        return;
    }
    if ((event.target === document.body || event.target === byId('main')) && current.grid?.steer(event.key)) {
        event.preventDefault();
        return;
    }
    const actions = {
        '/': () => {
            current.search?.focus();
            current.search?.select();
        },
        j: () => current.grid?.move(1),
        k: () => current.grid?.move(-1),
        Escape: back,
        '?': help,
        t: changeTheme,
        r: refresh,
    };
    ORDER.forEach((view, i) => {
        actions[i + 1] = () => {
            location.hash = `#/${view}`;
        };
    });
    if (Object.hasOwn(actions, event.key)) {
        actions[event.key]();
        event.preventDefault();
    }
});

// Start

window.addEventListener('hashchange', show);
window.addEventListener('online', refresh);
let ticks = 0;
setInterval(() => {
    if (document.hidden) {
        return;
    }
    ticks++;
    if (ticks % 5 === 0) {
        showStatus();
    }
    current?.tick(now(), ticks % 3 === 0);
}, TICK_MS);
contact.last = performance.now();
showTheme();
show();
totals.start();
waits.start();
live.start();
