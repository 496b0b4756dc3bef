// The page: what it shows follows from the part of the address behind #.
import {render} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {html, Problem, State} from './parts.js';
import {condition, usePoll, withRates} from './data.js';
import {age, plural, since, visible} from './text.js';
import {Pipeline} from './pipeline.js';
import {Listener} from './listener.js';
import {Violations} from './violations.js';
import {Letters} from './letters.js';

// decoded returns a part of the address as text; one that is not encoded well is what it is.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// useRoute returns the address as its parts.
function useRoute() {
  const read = () => location.hash.replace(/^#\/?/, '').split('/').map(decoded);
  const [route, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

function Top({status, error, view}) {
  const links = [['', 'Pipeline'], ['violations', 'Violations'], ['letters', 'Dead letters']];
  return html`<header class="top">
    <h1><a href="#/">informerd</a></h1>
    ${status && html`<p class="facts"><span>cluster <b>${visible(status.cluster)}</b></span>
      <span>${visible(status.version)}</span>
      ${status.started && html`<span>up ${age(since(status.started, new Date(status.time)))}</span>`}
      ${status.role && html`<span>${status.role}</span>`}
      <${State} is=${!error && status.ready ? 'running' : 'failing'}>${error ? 'away' : status.ready ? 'ready' : 'not ready'}<//></p>`}
    <nav aria-label="Views"><ul>${links.map(([to, title]) => html`<li><a href="#/${to}"
      aria-current=${view === to || (to === '' && view === 'listener') ? 'page' : undefined}>${title}</a></li>`)}</ul></nav>
  </header>`;
}

// News tells who does not see the page what has changed in it.
function News({status}) {
  const bad = status ? status.listeners.filter((l) => condition(l) !== 'running').length : 0;
  const stalls = status?.stalled?.length || 0;
  const away = status?.clusters?.filter((c) => c.error).length || 0;
  const parts = [];
  if (bad) parts.push(`${bad} of ${plural(status.listeners.length, 'listener')} in trouble`);
  if (stalls) parts.push(plural(stalls, 'stall'));
  if (away) parts.push(`${away} of ${plural(status.clusters.length, 'cluster')} in trouble`);
  const text = parts.join(', ') || 'everything runs';
  useEffect(() => {
    if (status) document.title = (parts.length ? `${text} – ` : '') + `informerd ${visible(status.cluster)}`;
  }, [text, status?.cluster]);
  return html`<p class="heard" role="status">${status ? text : ''}</p>`;
}

function Page() {
  const [view, name] = useRoute();
  const {value: status, error} = usePoll('statusz', 2, withRates);
  const main = useRef();
  const came = useRef(false);
  useEffect(() => { // whoever follows a link goes on at its beginning
    if (came.current) main.current.focus();
    came.current = true;
    scrollTo(0, 0);
  }, [view, name]);
  const show = () => {
    switch (view) {
      case 'listener': return html`<${Listener} name=${name} status=${status} />`;
      case 'violations': return html`<${Violations} listener=${name} />`;
      case 'letters': return html`<${Letters} listener=${name} status=${status} />`;
      case '': return html`<${Pipeline} status=${status} />`;
      default: return html`<h2>There is no such view</h2><p><a href="#/">Show the pipeline</a></p>`;
    }
  };
  return html`<a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); main.current.focus(); }}>Skip to the content</a>
    <${Top} status=${status} error=${error} view=${view} />
    <main id="main" ref=${main} tabindex="-1"><${Problem} text=${error} />
      ${status ? show() : !error && html`<p>Loading…</p>`}</main><${News} status=${status} />`;
}

const page = document.getElementById('page');
page.replaceChildren();
render(html`<${Page} />`, page);
