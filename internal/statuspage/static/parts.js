// What several views are made of.
import {h} from 'preact';
import {useState} from 'preact/hooks';
import htm from 'htm';
import {age, visible} from './text.js';

export const html = htm.bind(h);

const marks = {running: '●', starting: '◌', paused: '❚❚', failing: '✕', troubled: '▲'};

// State is a state in words, with a mark and a colour.
export const State = ({is, children}) => html`<span class="state ${is}"><span aria-hidden="true">${marks[is]}</span> ${children || is}</span>`;

export const Reasons = ({of}) => of.length > 0 && html`<ul class="reasons">${of.map((r) => html`<li>${visible(r)}</li>`)}</ul>`;

export const Problem = ({text}) => text && html`<p class="problem" role="alert">${visible(text)}</p>`;

// Section is a part of a page that is asked for when it is opened.
export function Section({title, open = false, children}) {
  const [shown, show] = useState(open);
  return html`<details open=${shown} onToggle=${(e) => show(e.currentTarget.open)}>
    <summary><h3>${title}</h3></summary>${shown && children()}</details>`;
}

// Table has columns that can be sorted. A column has a title, cell(row) to show, and by(row) to
// sort by; numbers are sorted from the largest.
export function Table({caption, columns, rows, rowKey, first, none}) {
  const [sort, set] = useState({column: first, down: false});
  const column = columns.find((c) => c.title === sort.column);
  const sorted = [...rows];
  if (column?.by) {
    const sign = sort.down ? -1 : 1;
    sorted.sort((a, b) => {
      const x = column.by(a), y = column.by(b);
      return sign * (typeof x === 'number' ? (y ?? -1) - (x ?? -1) : String(x).localeCompare(String(y), 'en'));
    });
  }
  const order = (c) => {
    if (c.title !== sort.column) return undefined;
    const numbers = rows.length > 0 && typeof c.by(rows[0]) === 'number';
    return numbers === sort.down ? 'ascending' : 'descending';
  };
  return html`<div class="wide" role="region" aria-label=${caption} tabindex="0"><table>
    <caption>${caption}</caption>
    <thead><tr>${columns.map((c) => html`<th scope="col" class=${c.number && 'number'} aria-sort=${order(c)}>
      ${c.by ? html`<button type="button" onClick=${() => set({column: c.title, down: sort.column === c.title && !sort.down})}>
        ${c.title}<span aria-hidden="true">${sort.column === c.title ? (sort.down ? ' ▴' : ' ▾') : ''}</span></button>` : c.title}</th>`)}
    </tr></thead>
    <tbody>${sorted.map((row) => html`<tr key=${rowKey(row)}>${columns.map((c) => html`<td class=${c.number && 'number'} data-title=${c.title}>${c.cell(row)}</td>`)}</tr>`)}</tbody>
  </table>${rows.length === 0 && html`<p class="none">${none}</p>`}</div>`;
}

// Plot draws one series of the last 15 minutes. What is not known is a gap.
export function Plot({title, values, every, show}) {
  const width = 240, height = 48;
  const known = values.filter((v) => v !== null);
  const most = Math.max(...known, 0), last = known.at(-1);
  const x = (i) => (i / Math.max(1, values.length - 1)) * width;
  const y = (v) => height - 2 - (most > 0 ? (v / most) * (height - 4) : 0);
  let path = '', pen = false;
  values.forEach((v, i) => {
    if (v === null) {
      pen = false;
      return;
    }
    path += `${pen ? 'L' : 'M'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    pen = true;
  });
  const minutes = age(Math.max(0, values.length - 1) * every);
  const words = known.length ? `${title}: ${show(last)} now, at most ${show(most)} in the last ${minutes}` : `${title}: not known yet`;
  return html`<figure class="plot"><figcaption>${title} <strong>${known.length ? show(last) : '–'}</strong></figcaption>
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label=${words}><path d=${path} vector-effect="non-scaling-stroke" /></svg>
    <span class="scale" aria-hidden="true">${known.length ? `at most ${show(most)}, ${minutes}` : 'not known yet'}</span></figure>`;
}
