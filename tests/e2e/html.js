// What must hold on any page that vrun writes: a list of complaints. Runs in
// the page.
const complaints = [];
const complain = (what, where) => complaints.push(where + ': ' + what);
const all = selector => [...document.querySelectorAll(selector)];
const words = element => element.textContent.trim().slice(0, 40);

function structure() {
  for (const landmark of ['header', 'main', 'footer', 'h1', 'title'])
    if (all('html ' + landmark + ':not(svg *)').length !== 1)
      complain('not exactly one', landmark);
  let level = 0;
  for (const heading of all('h1,h2,h3,h4,h5,h6')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1)
      complain('skips a level', words(heading));
    level = own;
  }
  const ids = all('[id]').map(e => e.id);
  ids.filter((id, i) => ids.indexOf(id) !== i)
     .forEach(id => complain('is there twice', 'id ' + id));
}

function tables() {
  for (const table of all('table')) {
    const name = table.caption ? words(table.caption) : 'a table';
    if (!table.caption)
      complain('has no caption', name);
    for (const th of table.querySelectorAll('th'))
      if (!['row', 'col'].includes(th.scope))
        complain('a head without scope', name);
    const width = table.rows[0].cells.length;
    for (const row of table.rows)
      if (row.cells.length !== width)
        complain('rows of several widths', name);
  }
  for (const region of all('.scroll'))
    if ((region.tabIndex === 0) !== (region.scrollWidth > region.clientWidth) ||
        !region.ariaLabel)
      complain('scrolls, but not by keyboard', words(region));
}

// Short words are not broken into two lines.
function names() {
  const range = document.createRange();
  for (const head of all('tbody th')) {
    const text = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
    while (text.nextNode())
      for (const word of text.currentNode.data.matchAll(/\S+/g)) {
        range.setStart(text.currentNode, word.index);
        range.setEnd(text.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(r => r.top));
        if (word[0].length <= 14 && /^[ -~]*$/.test(word[0]) &&
            lines.size > 1)
          complain('is broken', word[0]);
      }
  }
}

// Texts that overlap, or lie outside of the picture.
function labels(svg, name) {
  const frame = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll('text')].map(text => {
    const b = text.getBoundingClientRect();
    if (b.left < frame.left - 1 || b.right > frame.right + 1 ||
        b.top < frame.top - 1 || b.bottom > frame.bottom + 1)
      complain('is cut: ' + words(text), name);
    return [b, text];
  });
  boxes.forEach(([a, x], i) => boxes.slice(i + 1).forEach(([b, y]) => {
    if (a.left < b.right - 1 && b.left < a.right - 1 &&
        a.top < b.bottom - 2 && b.top < a.bottom - 2)
      complain(words(x) + ' overlaps ' + words(y), name);
  }));
}

function pictures() {
  for (const svg of all('svg')) {
    const title = document.getElementById(svg.getAttribute('aria-labelledby'));
    const desc = document.getElementById(svg.getAttribute('aria-describedby'));
    const name = title ? words(title) : 'a picture';
    if (svg.getAttribute('role') !== 'img' || !title || !desc)
      complain('has no text for those who do not see it', name);
    if (!svg.querySelector('path,circle,rect'))
      complain('is empty', name);
    if (/NaN|inf/.test(svg.innerHTML.replace(/<(title|desc|text).*?<\/\1>/gs, '')))
      complain('has a place that is none', name);
    labels(svg, name);
  }
}

const channels = text => text.match(/[\d.]+/g).map(Number);

// WCAG 2.1, relative luminance and contrast ratio.
function luminance(rgb) {
  const [r, g, b] = rgb.slice(0, 3).map(c => {
    c /= 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function background(element) {
  for (; element; element = element.parentElement) {
    const color = channels(getComputedStyle(element).backgroundColor);
    if (color.length === 3 || color[3] > 0)
      return color;
  }
  return [255, 255, 255];
}

function contrast() {
  const least = new Map([['svg path[class^=c]', 3], ['svg text', 4.5]]);
  for (const tag of ['h1', 'h2', 'p', 'li', 'td', 'th', 'a', 'figcaption',
                     'summary', 'footer'])
    least.set(tag, 4.5);
  for (const [selector, ratio] of least) {
    const seen = new Set();
    for (const element of all(selector)) {
      const style = getComputedStyle(element);
      const color = element.closest('svg') ? style.fill : style.color;
      if (seen.has(color))
        continue;
      seen.add(color);
      const [a, b] = [channels(color), background(element)].map(luminance);
      const got = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (got < ratio)
        complain('contrast of ' + got.toFixed(2) + ', ' + color, selector);
    }
  }
}

function width() {
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth)
    complain('wider than the window: ' + page.scrollWidth + ' px', 'page');
}

[structure, tables, names, pictures, contrast, width].forEach(check => check());
return complaints.join('\n');
