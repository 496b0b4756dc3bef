// What the page knows: it asks the server, and works out rates.
import {useEffect, useRef, useState} from 'preact/hooks';

export async function ask(path, body) {
  const request = {headers: {Accept: 'application/json'}, cache: 'no-store'};
  if (body !== undefined) {
    request.method = 'POST';
    request.headers['Content-Type'] = 'application/json';
    request.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error('informerd does not answer');
  }
  const text = await answer.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`the answer cannot be read (${answer.status})`);
  }
  if (!answer.ok) throw new Error(value.error || `the answer is ${answer.status}`);
  return value;
}

// usePoll asks for a path again and again while the page is visible, and at once when again is
// called. After an error the last value stays. next maps the last value and an answer to the value.
export function usePoll(path, seconds, next = (_, answer) => answer) {
  const [state, set] = useState({});
  const mapped = useRef(next);
  mapped.current = next;
  const again = useRef();
  useEffect(() => {
    set({});
    if (!path) return undefined;
    let timer, ended = false, tries = 0;
    const turn = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      let got, error;
      try {
        got = await ask(path);
      } catch (e) {
        error = e.message;
      }
      if (ended) return;
      set((was) => ({value: got === undefined ? was.value : mapped.current(was.value, got), error}));
      // The second answer comes soon, for the first rates.
      timer = setTimeout(turn, (tries++ === 0 ? Math.min(1, seconds) : seconds) * 1000);
    };
    const seen = () => document.hidden || turn();
    document.addEventListener('visibilitychange', seen);
    again.current = turn;
    turn();
    return () => {
      ended = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [path, seconds]);
  return {...state, again: () => again.current()};
}

export const informerKey = (i) =>
  [i.resource, i.namespace, i.labelSelector, i.fieldSelector, i.shard, i.cluster].map((p) => p || '').join(' ');

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

export const taken = (l) => sum(Object.values(l.events));

export const waiting = (l) => l.buffer.events + l.buffer.waitingForRetry + l.buffer.marked +
  l.buffer.backlog + l.buffer.onDisk + sum(l.outputs.map((o) => o.waiting));

export const oldest = (l) => Math.max(l.buffer.oldestSeconds, ...l.outputs.map((o) => o.oldestSeconds));

export function troubles(l) {
  const all = [...(l.reasons || [])];
  if (l.handler?.error) all.push(`handler: ${l.handler.error}`);
  for (const o of l.outputs) if (o.error) all.push(`output ${o.name}: ${o.error}`);
  return all;
}

// condition is the listener's state, or "troubled" if it runs and something is wrong.
export const condition = (l) => (l.state === 'running' && troubles(l).length ? 'troubled' : l.state);

// withRates adds to a status what happened per second since the one before. A counter that is
// lower than it was has begun again, and says nothing.
export function withRates(before, now) {
  const over = before ? (new Date(now.time) - new Date(before.time)) / 1000 : 0;
  const per = (was, is) => (over > 0 && was !== undefined && is >= was ? (is - was) / over : undefined);
  const informers = new Map((before?.informers || []).map((i) => [informerKey(i), i]));
  const listeners = new Map((before?.listeners || []).map((l) => [l.name, l]));
  for (const i of now.informers) i.rate = per(informers.get(informerKey(i))?.events, i.events);
  for (const l of now.listeners) {
    const was = listeners.get(l.name);
    l.rates = {
      taken: per(was && taken(was), taken(l)),
      refused: per(was?.refused, l.refused),
      filtered: per(was && was.filtered + was.unselected, l.filtered + l.unselected),
      handled: per(was?.handler?.calls, l.handler?.calls),
      written: per(was?.written, l.written),
    };
    const outputs = new Map((was?.outputs || []).map((o) => [o.name, o]));
    for (const o of l.outputs) o.rate = per(outputs.get(o.name)?.written, o.written);
  }
  now.rates = {
    events: sum(now.listeners.map((l) => (l.rates.taken || 0) + (l.rates.refused || 0))),
    written: sum(now.listeners.map((l) => l.rates.written || 0)),
    cpu: per(before?.process.cpuSeconds, now.process.cpuSeconds),
  };
  return now;
}
