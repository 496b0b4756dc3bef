// The view of everything: what is wrong, informers, and each listener from its informer to its
// outputs.
import {useState} from 'preact/hooks';
import {html, Plot, Reasons, Section, State, Table} from './parts.js';
import {condition, informerKey, oldest, taken, troubles, usePoll, waiting} from './data.js';
import {age, bytes, count, plural, rate, since, visible} from './text.js';

const severity = {failing: 0, paused: 1, troubled: 2, starting: 3, running: 4};

export const listenerLink = (name) => `#/listener/${encodeURIComponent(name)}`;

export function Plots({path, more = () => []}) {
  const {value} = usePoll(path, 10);
  if (!value) return html`<div class="plots" />`;
  const {series, every} = value;
  const all = [['Events', series.events, rate], ['Waiting', series.waiting, count],
    ['Oldest waits', series.oldest, age], ['Failures', series.failures, rate], ...more(series)];
  return html`<div class="plots">${all.map(([title, values, show]) =>
    html`<${Plot} title=${title} values=${values} every=${every} show=${show} />`)}</div>`;
}

// byCause has each cause of trouble once, with its listeners.
function byCause(bad) {
  const causes = new Map();
  for (const l of bad) {
    const all = troubles(l);
    for (const cause of all.length ? all : ['']) {
      if (!causes.has(cause)) causes.set(cause, []);
      causes.get(cause).push(l);
    }
  }
  return [...causes];
}

function Cause({cause, of}) {
  const names = of.slice(0, 3).map((l, i) => html`${i ? ', ' : ''}<a href=${listenerLink(l.name)}>${visible(l.name)}</a>`);
  return html`<li>${names}${of.length > 3 && ` and ${plural(of.length - 3, 'further listener')}`} <${State} is=${condition(of[0])} />${cause && html`<${Reasons} of=${[cause]} />`}</li>`;
}

function Trouble({status}) {
  const bad = status.listeners.filter((l) => condition(l) !== 'running');
  const stalls = status.stalled || [];
  const causes = byCause(bad);
  const clusters = (status.clusters || []).filter((c) => c.error);
  const away = new Set(clusters.map((c) => c.name));
  const informers = status.informers.filter((i) => i.error && !away.has(i.cluster));
  const notes = [];
  if (status.reload && !status.reload.successful) notes.push('The last reload failed: informerd runs with the configuration before it. The log has the mistakes.');
  if (status.checkpoint?.error) notes.push(`The checkpoint was given up: ${status.checkpoint.error}`);
  if (status.deadLetters?.waiting) notes.push(`Dead letters have no room: ${plural(status.deadLetters.waiting, 'event waits', 'events wait')} for it.`);
  const unowned = (status.sharding?.shards || []).filter((s) => !s.owned).map((s) => s.shard);
  if (unowned.length) notes.push(`No replica has ${plural(unowned.length, 'shard')} (${unowned.join(', ')}): their objects wait.`);
  if (status.sharding?.error) notes.push(`This replica takes no shards: ${status.sharding.error}`);
  if (!bad.length && !stalls.length && !clusters.length && !informers.length && !notes.length) return null;
  return html`<section class="trouble"><h2>In trouble</h2><ul>
    ${notes.map((n) => html`<li>${visible(n)}</li>`)}
    ${stalls.map((s) => html`<li><b>${visible(s.kind)}${s.what ? ` ${visible(s.what)}` : ''}</b>: ${visible(s.text)}${s.since ? `, for ${age(since(s.since, new Date(status.time)))}` : ''}</li>`)}
    ${clusters.slice(0, 20).map((c) => html`<li><b>cluster ${visible(c.name)}</b>: ${visible(c.error)}</li>`)}
    ${clusters.length > 20 && html`<li>and ${plural(clusters.length - 20, 'further cluster')}, in the table below</li>`}
    ${informers.map((i) => html`<li><b>informer of ${visible(i.resource)}</b>: ${visible(i.error)}</li>`)}
    ${causes.slice(0, 20).map(([cause, of]) => html`<${Cause} cause=${cause} of=${of} />`)}
    ${causes.length > 20 && html`<li>and ${plural(causes.length - 20, 'further cause')}, in the table below</li>`}
  </ul></section>`;
}

const Informers = ({all, time}) => html`<${Table} caption="Informers" first="Resource" rows=${all} rowKey=${informerKey} none="There are no informers."
  columns=${[
    {title: 'Resource', by: informerKey, cell: (i) => html`${visible(i.resource)}<span class="more">${[i.namespace, i.labelSelector, i.fieldSelector, i.shard && `shard ${i.shard}`, i.cluster && `cluster ${i.cluster}`].filter(Boolean).map(visible).join(' · ')}</span>`},
    {title: 'State', by: (i) => (i.error ? 'failing' : i.synced ? 'running' : 'starting'), cell: (i) => html`<${State} is=${i.error ? 'failing' : i.synced ? 'running' : 'starting'} />`},
    {title: 'Objects', number: true, by: (i) => i.objects, cell: (i) => count(i.objects)},
    {title: 'Memory', number: true, by: (i) => i.memoryBytes, cell: (i) => bytes(i.memoryBytes)},
    {title: 'Events', number: true, by: (i) => i.rate ?? 0, cell: (i) => rate(i.rate)},
    {title: 'Queued', number: true, by: (i) => i.queued, cell: (i) => count(i.queued)},
    {title: 'Lists', number: true, by: (i) => i.lists, cell: (i) => count(i.lists)},
    {title: 'Last heard', number: true, by: (i) => (i.heard ? since(i.heard, time) : -1), cell: (i) => (i.heard ? `${age(since(i.heard, time))} ago` : '–')},
  ]} />`;

const Shards = ({all, time}) => html`<${Table} caption="Shards" first="Shard" rows=${all} rowKey=${(s) => s.shard} none="There are no shards."
  columns=${[
    {title: 'Shard', number: true, by: (s) => -s.shard, cell: (s) => s.shard},
    {title: 'Owner', by: (s) => s.owner, cell: (s) => (s.owned ? html`${visible(s.owner)}${s.own && html`<span class="more">this replica</span>`}` : html`<${State} is="failing">nobody<//>`)},
    {title: 'Since', number: true, by: (s) => since(s.since, time), cell: (s) => (s.owned ? age(since(s.since, time)) : '–')},
    {title: 'Epoch', number: true, by: (s) => s.epoch, cell: (s) => count(s.epoch)},
    {title: 'Objects', number: true, by: (s) => s.objects ?? 0, cell: (s) => (s.own ? count(s.objects ?? 0) : '–')},
    {title: 'Waiting', number: true, by: (s) => s.waiting ?? 0, cell: (s) => (s.own ? count(s.waiting ?? 0) : '–')},
    {title: 'Oldest', number: true, by: (s) => s.oldestSeconds ?? 0, cell: (s) => (s.oldestSeconds ? age(s.oldestSeconds) : '–')},
  ]} />`;

const clusterState = (c) => (c.error ? 'failing' : 'running');

const Clusters = ({all, time}) => html`<${Table} caption="Clusters" first="State" rows=${all} rowKey=${(c) => c.name} none="There are no clusters."
  columns=${[
    {title: 'Cluster', by: (c) => c.name, cell: (c) => html`${visible(c.name)}<span class="more">${visible(Object.entries(c.labels || {}).map((l) => l.join('=')).sort().join(' · '))}</span>`},
    {title: 'State', by: clusterState, cell: (c) => html`<${State} is=${clusterState(c)} />${c.error && html`<span class="more">${visible(c.error)}</span>`}`},
    {title: 'Server', by: (c) => c.server ?? '', cell: (c) => html`${visible(c.server || '–')}<span class="more">${visible(c.from)}</span>`},
    {title: 'Since', number: true, by: (c) => (c.since ? since(c.since, time) : -1), cell: (c) => (c.since ? age(since(c.since, time)) : '–')},
    {title: 'Objects', number: true, by: (c) => c.objects, cell: (c) => count(c.objects)},
    {title: 'Waiting', number: true, by: (c) => c.waiting, cell: (c) => count(c.waiting)},
    {title: 'Oldest', number: true, by: (c) => c.oldestSeconds, cell: (c) => (c.oldestSeconds ? age(c.oldestSeconds) : '–')},
  ]} />`;

const outputs = (l) => html`<ul class="outputs">${l.outputs.map((o) => html`<li class=${o.error ? 'failing' : ''}>
  ${o.error && html`<span aria-hidden="true">✕ </span>`}${visible(o.name)} ${rate(o.rate)}${o.waiting > 0 && html`, <span>${count(o.waiting)} waiting</span>`}${o.error && html`<span class="heard"> fails</span>`}</li>`)}</ul>`;

const columns = [
  {title: 'Informer', by: (l) => l.resource, cell: (l) => visible(l.resource)},
  {title: 'Listener', by: (l) => l.name, cell: (l) => html`<a href=${listenerLink(l.name)}>${visible(l.name)}</a>`},
  {title: 'Handler', by: (l) => l.handler?.calls ?? -1, cell: (l) => (l.handler ? html`${rate(l.rates.handled)}${l.handler.crashes > 0 && html`<span class="more">${plural(l.handler.crashes, 'crash', 'crashes')}</span>`}` : '–')},
  {title: 'Outputs', cell: outputs},
  {title: 'Events', number: true, by: (l) => l.rates.taken ?? 0, cell: (l) => html`${rate(l.rates.taken)}<span class="more">${count(taken(l))} in all</span>`},
  {title: 'Waiting', number: true, by: waiting, cell: (l) => count(waiting(l))},
  {title: 'Oldest', number: true, by: oldest, cell: (l) => (oldest(l) > 0 ? age(oldest(l)) : '–')},
  {title: 'Violations', number: true, by: (l) => l.violations ?? -1, cell: (l) => (l.violations === undefined ? '–' : html`<a href="#/violations/${encodeURIComponent(l.name)}">${count(l.violations)}</a>`)},
  {title: 'Dead letters', number: true, by: (l) => l.letters, cell: (l) => (l.letters ? html`<a href="#/letters/${encodeURIComponent(l.name)}">${count(l.letters)}</a>` : '0')},
  {title: 'State', by: (l) => String(severity[condition(l)]), cell: (l) => html`<${State} is=${condition(l)} />`},
];

function Listeners({all}) {
  const [text, setText] = useState('');
  const [state, setState] = useState('');
  const wanted = text.trim().toLowerCase();
  const rows = all.filter((l) => (!state || condition(l) === state) &&
    (!wanted || `${l.name} ${l.resource} ${l.outputs.map((o) => o.name).join(' ')}`.toLowerCase().includes(wanted)));
  return html`<section><h2>Listeners</h2>
    <form class="filter" onSubmit=${(e) => e.preventDefault()}>
      <label>Name, resource or output <input type="search" value=${text} onInput=${(e) => setText(e.currentTarget.value)} /></label>
      <label>State <select value=${state} onChange=${(e) => setState(e.currentTarget.value)}>
        <option value="">any</option>${Object.keys(severity).map((s) => html`<option value=${s}>${s}</option>`)}</select></label>
      <output>${rows.length === all.length ? plural(all.length, 'listener') : `${count(rows.length)} of ${plural(all.length, 'listener')}`}</output>
    </form>
    <${Table} caption="Listeners, from informer to outputs" columns=${columns} rows=${rows} rowKey=${(l) => l.name} first="State" none="No listener matches." />
  </section>`;
}

export function Pipeline({status}) {
  const time = new Date(status.time);
  const more = (s) => [['CPU', s.cpu, (n) => `${(n * 100).toFixed(n < 0.1 ? 1 : 0)} %`], ['Memory', s.memory, bytes]];
  return html`<${Trouble} status=${status} />
    <section><h2>Last 15 minutes</h2><${Plots} path="history" more=${more} /></section>
    <${Listeners} all=${status.listeners} />
    ${status.sharding && html`<${Section} title=${`Shards (${status.sharding.shards.filter((s) => s.own).length} of ${status.sharding.shards.length} here, ${plural(status.sharding.replicas, 'replica')})`}>${() => html`<${Shards} all=${status.sharding.shards} time=${time} />`}<//>`}
    ${status.clusters && html`<${Section} title=${`Clusters (${status.clusters.filter((c) => !c.error).length} of ${status.clusters.length} are well)`}>${() => html`<${Clusters} all=${status.clusters} time=${time} />`}<//>`}
    <${Section} title=${`Informers (${status.informers.length})`}>${() => html`<${Informers} all=${status.informers} time=${time} />`}<//>`;
}
