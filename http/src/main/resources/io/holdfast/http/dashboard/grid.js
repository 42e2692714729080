// A table of any length, of which only the visible rows exist as elements.

import {el, setClass} from './dom.js';

const EXTRA_ROWS = 6;
let grids = 0;

/**
 * Rows are objects with an `id`. A column has id, title, `make(cell)` called once for each row element, `fill(parts,
 * row)` called when the row changes, `tick(parts, row, now)` called when time passes; `sort: false` if it is not
 * sortable.
 */
export class Grid {
    element;
    #columns;
    #options;
    #head;
    #body;
    #pool = [];
    #rows = [];
    #selected = null;
    #rowHeight = 34;
    #name = `grid${++grids}`;
    #drawn = false;
    #watch;

    constructor(columns, options) {
        this.#columns = columns;
        this.#options = options;
        this.#head = el('div', {class: 'head', role: 'row', 'aria-rowindex': '1'}, columns.map(column => this.#title(column)));
        this.#body = el('div', {class: 'body', role: 'rowgroup'});
        this.element = el('div', {
            class: `grid ${options.name}`,
            role: 'grid',
            tabindex: '0',
            'aria-label': options.label,
            onscroll: () => this.#schedule(),
            onkeydown: event => this.#key(event),
        }, el('div', {class: 'headgroup', role: 'rowgroup'}, this.#head), this.#body);
        this.#watch = new ResizeObserver(() => this.#measure());
        this.#watch.observe(this.element);
    }

    #title(column) {
        const cell = el('div', {role: 'columnheader', class: `cell c-${column.id}`});
        if (column.sort === false) {
            cell.textContent = column.title;
        } else {
            cell.append(el('button', {type: 'button', onclick: () => this.#options.onSort(column.id)}, column.title));
        }
        return cell;
    }

    showSort(id, descending) {
        this.#columns.forEach((column, i) => {
            const cell = this.#head.children[i];
            if (column.id === id) {
                cell.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
            } else {
                cell.removeAttribute('aria-sort');
            }
        });
    }

    #measure() {
        const height = parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 34;
        if (height !== this.#rowHeight) {
            this.#rowHeight = height;
            this.#resize();
        }
        this.#schedule();
    }

    #resize() {
        this.#body.style.height = `${this.#rows.length * this.#rowHeight}px`;
        this.element.setAttribute('aria-rowcount', String(this.#rows.length + 1));
    }

    setRows(rows) {
        this.#rows = rows;
        this.#resize();
        this.#draw();
    }

    #schedule() {
        if (!this.#drawn) {
            this.#drawn = true;
            requestAnimationFrame(() => {
                this.#drawn = false;
                this.#draw();
            });
        }
    }

    #draw() {
        const shown = this.element.clientHeight;
        if (shown === 0) {
            return;
        }
        const first = Math.max(0, Math.floor(this.element.scrollTop / this.#rowHeight) - EXTRA_ROWS);
        const maxRows = Math.ceil(shown / this.#rowHeight) + 2 * EXTRA_ROWS;
        const visibleRows = Math.max(0, Math.min(maxRows, this.#rows.length - first));
        while (this.#pool.length < visibleRows) {
            this.#pool.push(this.#makeRow());
        }
        while (this.#pool.length > Math.max(visibleRows, maxRows)) {
            this.#pool.pop().element.remove();
        }
        const now = this.#options.now();
        let active = null;
        this.#pool.forEach((slot, i) => {
            const row = i < visibleRows ? this.#rows[first + i] : null;
            slot.element.hidden = row === null;
            slot.row = row;
            if (row === null) {
                return;
            }
            const index = first + i;
            slot.element.style.transform = `translateY(${index * this.#rowHeight}px)`;
            slot.element.setAttribute('aria-rowindex', String(index + 2));
            const selected = row.id === this.#selected;
            slot.element.setAttribute('aria-selected', String(selected));
            slot.element.id = `${this.#name}-${index}`;
            if (selected) {
                active = slot.element.id;
            }
            setClass(slot.element, `row ${index % 2 ? 'odd' : ''} ${this.#options.mark?.(row) ?? ''}`);
            this.#columns.forEach((column, c) => {
                column.fill(slot.parts[c], row);
                column.tick?.(slot.parts[c], row, now);
            });
        });
        if (active) {
            this.element.setAttribute('aria-activedescendant', active);
        } else {
            this.element.removeAttribute('aria-activedescendant');
        }
    }

    #makeRow() {
        const slot = {element: null, parts: [], row: null};
        const cells = this.#columns.map(column => {
            const cell = el('div', {role: 'gridcell', class: `cell c-${column.id}`});
            slot.parts.push(column.make ? column.make(cell) : cell);
            return cell;
        });
        slot.element = el('div', {
            class: 'row',
            role: 'row',
            onclick: event => {
                if (slot.row && !event.target.closest('a, button') && getSelection().isCollapsed) {
                    this.select(slot.row.id);
                    this.#options.onOpen(slot.row);
                }
            },
        }, cells);
        this.#body.append(slot.element);
        return slot;
    }

    tick(now) {
        for (const slot of this.#pool) {
            if (slot.row) {
                this.#columns.forEach((column, c) => column.tick?.(slot.parts[c], slot.row, now));
            }
        }
    }

    select(id) {
        this.#selected = id;
        this.#draw();
    }

    move(step) {
        if (this.#rows.length === 0) {
            return;
        }
        const at = this.#rows.findIndex(row => row.id === this.#selected);
        const next = at < 0 ? 0 : Math.max(0, Math.min(this.#rows.length - 1, at + step));
        this.#selected = this.#rows[next].id;
        this.#reveal(next);
        this.#draw();
        this.element.focus({preventScroll: true});
    }

    #reveal(index) {
        const top = index * this.#rowHeight;
        const bodyHeight = this.element.clientHeight - this.#head.offsetHeight - this.#rowHeight;
        if (top < this.element.scrollTop) {
            this.element.scrollTop = top;
        } else if (top > this.element.scrollTop + bodyHeight) {
            this.element.scrollTop = top - bodyHeight;
        }
    }

    open() {
        const row = this.#rows.find(each => each.id === this.#selected);
        if (row) {
            this.#options.onOpen(row);
        }
    }

    #key(event) {
        if (event.target === this.element && !event.ctrlKey && !event.metaKey && !event.altKey && this.steer(event.key)) {
            event.preventDefault();
            event.stopPropagation();
        }
    }

    /** Handles a navigation key; returns whether the key was one. */
    steer(key) {
        const page = Math.max(1, Math.floor(this.element.clientHeight / this.#rowHeight) - 2);
        const steps = {
            ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#rows.length, End: this.#rows.length,
        };
        if (key in steps) {
            this.move(steps[key]);
            return true;
        }
        if (key === 'Enter') {
            this.open();
            return true;
        }
        return false;
    }
}
