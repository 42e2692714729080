// Line charts, drawn as SVG.

import {el, setText, svg} from './dom.js';

const LEFT = 46;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 18;

/** The smallest of 1, 2, 2.5, 5, 10, … that is not less than the value. */
function roundUp(value) {
    if (value <= 0) {
        return 1;
    }
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 2.5, 5, 10].map(step => step * power).find(step => step >= value * 0.999);
}

function path(values, x, y) {
    let line = '';
    let pen = false;
    values.forEach((value, i) => {
        if (value === null || value === undefined) {
            pen = false;
            return;
        }
        // A single point is drawn as a dot: a line of length 0 with round ends.
        line += pen ? `L${x(i).toFixed(1)} ${y(value).toFixed(1)}` : `M${x(i).toFixed(1)} ${y(value).toFixed(1)}h0.01`;
        pen = true;
    });
    return line;
}

export function spark() {
    const line = svg('path', {class: 'line'});
    const element = svg('svg', {class: 'spark', viewBox: '0 0 72 20', 'aria-hidden': 'true', preserveAspectRatio: 'none'}, line);
    return {
        element,
        set(values) {
            const top = Math.max(1e-9, ...values.filter(value => value !== null));
            line.setAttribute('d', path(values, i => (i / Math.max(1, values.length - 1)) * 72, value => 18.5 - (value / top) * 17));
        },
    };
}

export class Chart {
    element;
    #title;
    #unit;
    #lines;
    #drawing;
    #legend;
    #data = null;
    #at = null;

    /**
     * @param lines [series name, label, CSS class] of each line
     */
    constructor(title, unit, lines) {
        this.#title = title;
        this.#unit = unit;
        this.#lines = lines;
        this.#legend = lines.map(([, label, mark]) => {
            const value = el('b', {});
            return {value, element: el('span', {class: `key ${mark}`}, el('i', {}), label, ' ', value)};
        });
        this.#drawing = svg('svg', {role: 'img'});
        this.element = el('figure', {class: 'panel chart'},
            el('figcaption', {}, el('h2', {}, title), el('span', {class: 'legend'}, this.#legend.map(each => each.element))),
            this.#drawing);
        this.#drawing.addEventListener('pointermove', event => this.#point(event.offsetX));
        this.#drawing.addEventListener('pointerleave', () => this.#point(null));
        new ResizeObserver(() => this.#draw()).observe(this.#drawing);
    }

    set(series) {
        this.#data = series;
        this.#draw();
    }

    #point(x) {
        this.#at = x;
        this.#draw();
    }

    #draw() {
        const width = this.#drawing.clientWidth;
        const height = this.#drawing.clientHeight;
        if (!this.#data || width < 60) {
            return;
        }
        const all = this.#lines.map(([name]) => this.#data[name] ?? []);
        const points = Math.max(2, ...all.map(values => values.length));
        const top = roundUp(Math.max(0, ...all.flat().filter(value => value !== null)));
        const x = i => LEFT + (i / (points - 1)) * (width - LEFT - RIGHT);
        const y = value => height - BOTTOM - (value / top) * (height - TOP - BOTTOM);
        const parts = [];
        for (const share of [0, 0.5, 1]) {
            const at = y(top * share);
            parts.push(svg('line', {class: 'rule', x1: LEFT, x2: width - RIGHT, y1: at, y2: at}));
            parts.push(svg('text', {class: 'mark end', x: LEFT - 6, y: at + 3.5}, this.#unit(top * share)));
        }
        const seconds = (points - 1) * this.#data.step_s;
        const marks = width < 420 ? 2 : 5;
        for (let i = 0; i <= marks; i++) {
            const ago = Math.round(seconds * (1 - i / marks));
            const text = ago === 0 ? 'now' : ago < 120 ? `−${ago} s` : `−${+(ago / 60).toFixed(1)} min`;
            const side = i === 0 ? 'start' : i === marks ? 'end' : 'middle';
            parts.push(svg('text', {class: `mark ${side}`, x: x((points - 1) * (i / marks)), y: height - 4}, text));
        }
        this.#lines.forEach(([, , mark], i) => parts.push(svg('path', {class: `line ${mark}`, d: path(all[i], x, y)})));
        let index = points - 1;
        if (this.#at !== null) {
            index = Math.max(0, Math.min(points - 1, Math.round(((this.#at - LEFT) / (width - LEFT - RIGHT)) * (points - 1))));
            parts.push(svg('line', {class: 'cursor', x1: x(index), x2: x(index), y1: TOP, y2: height - BOTTOM}));
        }
        this.#drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
        this.#drawing.replaceChildren(...parts);
        const texts = this.#lines.map(([, label], i) => {
            const text = this.#unit(all[i][index] ?? null);
            setText(this.#legend[i].value, text);
            return `${label} ${text}`;
        });
        if (this.#at === null) {
            this.#drawing.setAttribute('aria-label', `${this.#title}, now: ${texts.join(', ')}`);
        }
    }
}
