// The view of dead letters. Who may, replays and drops them here.
import {useEffect, useRef, useState} from 'preact/hooks';
import {html, Problem, Table} from './parts.js';
import {ask, usePoll} from './data.js';
import {age, bytes, count, plural, since, visible} from './text.js';
import {listenerLink} from './pipeline.js';

const shown = 200;

// Sure asks before letters are dropped: they are gone then.
function Sure({letters, yes, no}) {
  const dialog = useRef();
  useEffect(() => dialog.current.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="sure" onClose=${no}>
    <h3 id="sure">Drop ${plural(letters, 'dead letter')}?</h3>
    <p>What ${letters === 1 ? 'it was' : 'they were'} made of is removed, and is not delivered.</p>
    <p><button type="button" onClick=${no}>Keep</button> <button type="button" class="danger" onClick=${yes}>Drop</button></p></dialog>`;
}

export function Letters({listener, status}) {
  const of = listener ? `&listener=${encodeURIComponent(listener)}` : '';
  const {value, error, again} = usePoll(`deadletters?limit=${shown}${of}`, 5);
  const [chosen, choose] = useState(new Set());
  const [asking, setAsking] = useState(false);
  const [done, setDone] = useState({});
  const letters = value?.items || [];
  const ids = letters.map((l) => l.id).filter((id) => chosen.has(id));
  const toggle = (id) => choose((was) => {
    const now = new Set(was);
    if (!now.delete(id)) now.add(id);
    return now;
  });
  const act = async (action) => {
    setAsking(false);
    setDone({text: `${action === 'drop' ? 'Dropping' : 'Replaying'} ${plural(ids.length, 'dead letter')}…`});
    try {
      setDone(told(action, await ask(`deadletters/${action}`, {ids})));
    } catch (e) {
      setDone({error: e.message});
    }
    choose(new Set());
    again();
  };
  const all = letters.length > 0 && ids.length === letters.length;
  const may = value?.may || {};
  const columns = [
    ...(may.replay || may.drop ? [{title: 'Chosen', cell: (l) => html`<input type="checkbox" checked=${chosen.has(l.id)} onChange=${() => toggle(l.id)} aria-label=${`Choose the letter about ${visible(object(l))}`} />`}] : []),
    {title: 'Stored', number: true, by: (l) => since(l.stored, new Date()), cell: (l) => html`<time datetime=${l.stored} title=${l.stored}>${age(since(l.stored, new Date()))} ago</time>`},
    {title: 'Listener', by: (l) => l.listener, cell: (l) => html`<a href=${listenerLink(l.listener)}>${visible(l.listener)}</a>${l.output && html`<span class="more">to ${visible(l.output)}</span>`}`},
    {title: 'Object', by: object, cell: (l) => html`${visible(object(l))}<span class="more">${[l.op, visible(l.kind)].filter(Boolean).join(' of ')}</span>`},
    {title: 'Why', by: (l) => l.reason, cell: (l) => html`${l.reason}${l.superseded && html`<span class="more">something newer was delivered since</span>`}<span class="more">${visible(l.error)}</span>`},
    {title: 'Tries', number: true, by: (l) => l.attempts ?? 0, cell: (l) => count(l.attempts ?? 0)},
  ];
  const store = status.deadLetters;
  return html`<h2>Dead letters${listener ? ` of ${visible(listener)}` : ''}</h2>
    <${Problem} text=${error || done.error} />
    <p>${store && html`${plural(store.letters, 'letter')}, ${bytes(store.bytes)} of ${bytes(store.limitBytes)}.`} ${listener && html`<a href="#/letters">Show those of all listeners</a>`}</p>
    ${value && !may.replay && !may.drop && html`<p>You may only look at them here. <code>informerd dlq</code> replays and drops them in a terminal.</p>`}
    ${(may.replay || may.drop) && letters.length > 0 && html`<p class="actions">
      <label><input type="checkbox" checked=${all} onChange=${() => choose(new Set(all ? [] : letters.map((l) => l.id)))} /> all ${count(letters.length)} that are shown</label>
      ${may.replay && html`<button type="button" disabled=${!ids.length} onClick=${() => act('replay')}>Replay ${count(ids.length)}</button>`}
      ${may.drop && html`<button type="button" disabled=${!ids.length} onClick=${() => setAsking(true)}>Drop ${count(ids.length)}</button>`}</p>`}
    <p role="status">${done.text}</p>
    ${asking && html`<${Sure} letters=${ids.length} yes=${() => act('drop')} no=${() => setAsking(false)} />`}
    ${value && html`<${Table} caption="Dead letters, the oldest first" columns=${columns} rows=${letters} rowKey=${(l) => l.id} none="There are none." />`}
    ${value?.more && html`<p>Only the oldest ${count(letters.length)} are shown.</p>`}`;
}

const object = (l) => (l.namespace ? `${l.namespace}/${l.name}` : l.name || '');

// told says what became of letters.
function told(action, answer) {
  if (action === 'drop') return {text: `${plural(answer.dropped, 'dead letter')} dropped.`};
  const by = {};
  for (const o of answer.outcomes) by[o.result] = (by[o.result] || 0) + 1;
  const text = Object.entries(by).map(([result, n]) => `${count(n)} ${result}`).join(', ');
  const left = answer.left > 0 ? ` ${plural(answer.left, 'letter')} not replayed: gone, or their turn did not come in time.` : '';
  return {text: `Replayed: ${text || 'none'}.${left}`, error: answer.error || answer.outcomes.find((o) => o.error)?.error};
}
