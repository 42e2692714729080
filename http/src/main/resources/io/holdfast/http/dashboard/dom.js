// Helpers that create elements. Text only ever becomes text nodes: nothing on this page parses HTML.

/**
 * Creates an element with properties (class, on…, data-…, aria-…) and children, nested or not; null children are
 * skipped.
 */
export function el(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) {
            continue;
        }
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else {
            element.setAttribute(name, value === true ? '' : value);
        }
    }
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
    return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/** Sets the text only if it changed: setting the same text again causes a layout. */
export function setText(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}

export function setClass(element, name) {
    if (element.className !== name) {
        element.className = name;
    }
}
