// Charts: rates, wait times and totals of the last minutes.

import {get} from './api.js';
import {Chart} from './chart.js';
import {el} from './dom.js';
import {choice, remember} from './filters.js';
import {count, keyHref, millis, name, rough, span, visible} from './format.js';
import {kindChip, table} from './parts.js';
import {Poller} from './poller.js';

const RANGES = [['60', '1 min'], ['300', '5 min'], ['600', '10 min']];
const perSecond = value => (value === null ? '–' : `${rough(value)}/s`);

export class ChartsView {
    title = 'Charts';
    element;
    #range = '300';
    #ranges;
    #contended = el('div', {class: 'panel'});
    #about = el('span', {class: 'count'});
    #charts = [
        new Chart('Acquired / released', perSecond, [['acquired', 'acquired', 'a'], ['released', 'released', 'b']]),
        new Chart('Wait time', millis, [['wait_p50_ms', 'p50', 'a'], ['wait_p99_ms', 'p99', 'c'], ['longest_wait_ms', 'longest current', 'd']]),
        new Chart('Failures (timeouts, expiries, losses)', perSecond, [['timed_out', 'timed out', 'c'], ['expired', 'expired', 'd'], ['lost', 'lost', 'e']]),
        new Chart('Holds and waiters', rough, [['held', 'holds', 'a'], ['waiting', 'waiters', 'c']]),
        new Chart('Connections', rough, [['connections', 'open', 'b']]),
    ];
    poller = new Poller(signal => this.#load(signal), () => 2000);

    constructor() {
        this.#ranges = choice('Range', RANGES, value => this.#set(value));
        this.element = el('section', {class: 'view page', 'aria-label': 'Charts'},
            el('div', {class: 'toolbar'}, this.#ranges, this.#about),
            el('div', {class: 'charts'}, this.#charts.map(chart => chart.element), this.#contended));
    }

    enter({range}) {
        this.#set(RANGES.some(([value]) => value === range) ? range : '300');
        this.poller.start();
    }

    leave() {
        this.poller.stop();
    }

    refresh() {
        this.poller.now();
    }

    event() {}

    tick() {}

    #set(range) {
        this.#range = range;
        this.#ranges.show(range);
        remember('charts', {range: range === '300' ? '' : range});
        this.poller.now();
    }

    async #load(signal) {
        const overview = await get(`/v1/overview?points=${this.#range}`, signal);
        this.#charts.forEach(chart => chart.set(overview.series));
        this.#about.textContent = `Holdfast ${overview.version}, up for ${span(overview.uptime_s)}`;
        this.#contended.replaceChildren(
            el('h2', {}, 'Most contended keys'),
            table('Most contended keys', ['Kind', 'Key', 'Waits'], overview.contended.slice(0, 10).map(each => [
                kindChip(each.kind),
                el('a', {href: keyHref(each)},
                    each.namespace ? el('bdi', {class: 'namespace'}, visible(each.namespace) + ' / ') : null, name(each.key, each.key_encoded)),
                count(each.waits),
            ]), 'No acquire has had to wait so far.'));
    }
}
