// The view of one listener.
import {useState} from 'preact/hooks';
import {html, Problem, Reasons, Section, State, Table} from './parts.js';
import {ask, condition, oldest, troubles, usePoll} from './data.js';
import {age, bytes, clock, count, plural, rate, visible} from './text.js';
import {Plots} from './pipeline.js';

const Stage = ({title, name, rate: r, bad, children}) => html`<li class="stage"><div class=${bad ? 'box failing' : 'box'}>
  <h3>${title}</h3>${name && html`<p class="name">${visible(name)}</p>`}<p class="rate">${r}</p><ul>${children}</ul></div></li>`;

const Output = ({o}) => html`<div class=${o.error ? 'box failing' : 'box'}>
  <h3>Output</h3><p class="name">${visible(o.name)}</p><p class="rate">${rate(o.rate)}</p><ul>
    ${fact(o.delivered, `${count(o.delivered)} delivered`)}
    ${fact(o.waiting, `${count(o.waiting)} waiting${o.waitingBytes > 0 ? ` (${bytes(o.waitingBytes)})` : ''}, the oldest for ${age(o.oldestSeconds)}`)}
    ${fact(o.lagSeconds, `${age(o.lagSeconds)} from arrival, on average`)}
    ${fact(o.retried, `${count(o.retried)} tried again`)}${fact(o.merged, `${count(o.merged)} merged`)}
    ${fact(o.dropped, `${count(o.dropped)} dropped`)}${fact(o.deadLetters, plural(o.deadLetters, 'dead letter'))}
    ${o.error && html`<li>${visible(o.error)}</li>`}</ul></div>`;

// fact is a line of a stage, left out if it says nothing.
const fact = (n, text) => n > 0 && html`<li>${text}</li>`;

// Flow is the way of an event, from left to right.
function Flow({l}) {
  const b = l.buffer, h = l.handler;
  return html`<ol class="flow">
    <${Stage} title="Informer" name=${l.resource} rate=${rate((l.rates.taken ?? NaN) + (l.rates.refused ?? NaN))}>
      ${fact(l.refused, `${count(l.refused)} refused before the buffer`)}<//>
    <${Stage} title="Buffer" rate=${plural(b.events + b.marked + b.backlog + b.onDisk, 'waits', 'wait')} bad=${b.blocked > 0 && b.oldestSeconds > 60}>
      ${fact(b.oldestSeconds, `the oldest for ${age(b.oldestSeconds)}`)}
      ${fact(b.waitingForRetry, `${count(b.waitingForRetry)} to be tried again`)}
      ${fact(b.marked, `${count(b.marked)} as their last state`)}
      ${fact(b.backlog, `${count(b.backlog)} of the first list`)}
      ${fact(b.onDisk, `${count(b.onDisk)} on disk`)}
      ${fact(b.coalesced, `${count(b.coalesced)} merged`)}
      ${fact(b.dropped, `${count(b.dropped)} dropped`)}<//>
    <${Stage} title="Filters" rate=${rate(l.rates.taken)} bad=${l.errors > 0}>
      ${fact(l.unselected, `${count(l.unselected)} not selected`)}
      ${fact(l.filtered, `${count(l.filtered)} filtered`)}
      ${fact(l.matched, `${count(l.matched)} matched`)}
      ${fact(l.errors, plural(l.errors, 'error'))}
      ${l.violations !== undefined && html`<li><a href="#/violations/${encodeURIComponent(l.name)}">${plural(l.violations, 'open violation')}</a></li>`}<//>
    ${h && html`<${Stage} title="Handler" rate=${rate(l.rates.handled)} bad=${Boolean(h.error)}>
      ${fact(h.calls, plural(h.calls, 'call'))}${fact(h.crashes, plural(h.crashes, 'crash', 'crashes'))}
      ${fact(h.dropped, `${count(h.dropped)} refused`)}${fact(h.emitted, `${count(h.emitted)} emitted`)}
      ${h.error && html`<li>${visible(h.error)}</li>`}<//>`}
    <li class="stage">${l.outputs.map((o) => html`<${Output} key=${o.name} o=${o} />`)}</li>
  </ol>`;
}

// Explained asks how an event was judged, when it is opened.
function Explained({listener, event}) {
  const [state, set] = useState({});
  const show = async () => {
    if (state.text) return set({});
    try {
      const {text} = await ask(`explain?listener=${encodeURIComponent(listener)}&event=${event.number}`);
      set({text});
    } catch (e) {
      set({error: e.message});
    }
  };
  return html`<button type="button" aria-expanded=${Boolean(state.text)} onClick=${show}
    aria-label=${`Explain ${event.op} of ${visible(event.object)}`}>Explain</button>
    <${Problem} text=${state.error} />${state.text && html`<pre>${visible(state.text)}</pre>`}`;
}

function Events({listener}) {
  const {value, error} = usePoll(`events?listener=${encodeURIComponent(listener)}`, 2);
  const columns = [
    {title: 'Time', cell: (e) => clock(e.time)},
    {title: 'Event', cell: (e) => e.op},
    {title: 'Object', cell: (e) => visible(e.object)},
    {title: 'What became of it', cell: (e) => html`${visible(e.outcome)}${e.error && html`<span class="more">${visible(e.error)}</span>`}`},
    {title: 'Took', number: true, cell: (e) => (e.seconds > 0 ? age(e.seconds) : '–')},
    {title: 'Why', cell: (e) => html`<${Explained} listener=${listener} event=${e} />`},
  ];
  return html`<${Problem} text=${error} />
    <p>Events that this listener takes while this is open, at most 10 each second. Those that are refused before its buffer do not show.</p>
    ${value && html`<${Table} caption="Last events" columns=${columns} rows=${value.events} rowKey=${(e) => e.number} none="No event since you opened this." />`}`;
}

function About({listener, part}) {
  const {value, error} = usePoll(`listener?name=${encodeURIComponent(listener)}`, 30);
  return html`<${Problem} text=${error} />${value && html`<pre tabindex="0" aria-label=${part}>${visible(value[part])}</pre>`}`;
}

export function Listener({name, status}) {
  const l = status.listeners.find((one) => one.name === name);
  if (!l) return html`<h2>There is no listener ${visible(name)}</h2><p><a href="#/">Show all listeners</a></p>`;
  return html`<h2>${visible(l.name)} <${State} is=${condition(l)} /></h2>
    <${Reasons} of=${troubles(l)} />
    <${Flow} l=${l} />
    ${oldest(l) > 0 && html`<p>The oldest event waits for ${age(oldest(l))}.</p>`}
    <section><h2>Last 15 minutes</h2><${Plots} path=${`history?listener=${encodeURIComponent(name)}`} /></section>
    ${l.letters > 0 && html`<p><a href="#/letters/${encodeURIComponent(name)}">${plural(l.letters, 'dead letter')}</a></p>`}
    <${Section} title="Last events">${() => html`<${Events} listener=${name} />`}<//>
    <${Section} title="Plan">${() => html`<${About} listener=${name} part="plan" />`}<//>
    <${Section} title="Configuration">${() => html`<${About} listener=${name} part="configuration" />`}<//>`;
}
