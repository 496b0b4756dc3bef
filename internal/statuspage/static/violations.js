// The view of open violations.
import {html, Problem, Table} from './parts.js';
import {usePoll} from './data.js';
import {age, count, since, visible} from './text.js';
import {listenerLink} from './pipeline.js';

const shown = 500;
const order = ['critical', 'high', 'medium', 'low', 'info'];

export function Violations({listener}) {
  const of = listener ? `&listener=${encodeURIComponent(listener)}` : '';
  const {value, error} = usePoll(`violations?limit=${shown}${of}`, 5);
  const now = new Date();
  const columns = [
    {title: 'Severity', by: (v) => `${order.indexOf(v.severity) + 1 || 9}`, cell: (v) => html`<span class="severity ${order.includes(v.severity) ? v.severity : ''}">${visible(v.severity)}</span>`},
    {title: 'Rule', by: (v) => v.rule, cell: (v) => html`${visible(v.rule)}<span class="more"><a href=${listenerLink(v.listener)}>${visible(v.listener)}</a></span>`},
    {title: 'Object', by: (v) => `${v.namespace}/${v.name}`, cell: (v) => html`${visible(v.namespace ? `${v.namespace}/${v.name}` : v.name)}<span class="more">${[v.resource, v.cluster && `cluster ${v.cluster}`].filter(Boolean).map(visible).join(' · ')}</span>`},
    {title: 'Message', by: (v) => v.message, cell: (v) => visible(v.message)},
    {title: 'Since', number: true, by: (v) => since(v.since, now), cell: (v) => html`<time datetime=${v.since} title=${v.since}>${age(since(v.since, now))}</time>`},
  ];
  return html`<h2>Open violations${listener ? ` of ${visible(listener)}` : ''}</h2>
    <${Problem} text=${error} />
    ${listener && html`<p><a href="#/violations">Show those of all listeners</a></p>`}
    ${value && html`${value.total > value.items.length && html`<p>${count(value.items.length)} of ${count(value.total)} are shown.</p>`}
      <${Table} caption="Open violations" first="Severity" columns=${columns} rows=${value.items} rowKey=${(v) => `${v.listener} ${v.cluster} ${v.rule} ${v.uid} ${v.namespace}/${v.name}`} none="There are none." />`}`;
}
