'use strict';
// Shows the plan that the element #plan holds. Rows are made as they are scrolled to, and
// the text of a change when it is opened.

const plan = JSON.parse(document.getElementById('plan').textContent);
const byId = (id) => document.getElementById(id);

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const SYMBOLS = { create: '+', update: '~', replace: '-/+', delete: '-', read: '<=', forget: '.', import: '<-', none: '' };
const WORDS = {
  create: 'create', update: 'update in-place', replace: 'replace', delete: 'destroy', read: 'read',
  forget: 'forget', import: 'import', none: 'move',
};
const CHUNK = 150;       // rows that are made at a time
const OPEN_AT_MOST = 400;  // by one press of "Open all"
const DRAW_AT_MOST = 250;  // nodes of the graph

const parts = [
  { id: 'changes', title: 'Changes', items: plan.changes },
  { id: 'outputs', title: 'Outputs', items: plan.outputs },
  { id: 'drift', title: 'Changed outside', items: plan.drift },
  { id: 'warnings', title: 'Warnings', items: plan.notices },
  { id: 'graph', title: 'Graph', items: null },
];
const wanted = { part: parts[0], text: '', module: '', hidden: new Set() };
const opened = new Set();
let listed = [];
let drawn = 0;

// ---- what is listed

function matches(item) {
  if (wanted.hidden.has(item.action)) return false;
  if (wanted.module && item.module !== undefined) {
    const inside = item.module === wanted.module || item.module.startsWith(wanted.module + '.');
    if (wanted.module === '(root)' ? item.module !== '' : !inside) return false;
  }
  if (!wanted.text) return true;
  if (item.low === undefined) item.low = (item.address + '\n' + item.text).toLowerCase();
  return wanted.text.split(/\s+/).every((word) => item.low.includes(word));
}

// ---- one row

function lineOf(text) {
  const line = make('span');
  const symbol = /^\s*(-\/\+|\+\/-|\.\/\+|<=|[-+~#.])(\s|$)/.exec(text);
  if (symbol) {
    const kind = symbol[1];
    line.className = kind === '#' ? 'note' : kind === '+' ? 'plus' : kind === '-' ? 'minus' : 'tilde';
    if (kind === '<=' || kind === '.') line.className = 'note';
  }
  const split = /^(.*?)(# forces replacement|\(known after apply\)|\(sensitive value\))(.*)$/.exec(text);
  if (split && line.className !== 'note') {
    const tag = split[2].startsWith('#') ? 'b' : 'i';
    line.append(split[1], make(tag, { textContent: split[2] }), split[3]);
  } else {
    line.textContent = text || '\u00a0';
  }
  return line;
}

function bodyOf(item) {
  const pre = make('pre');
  for (const text of item.text.replace(/\n$/, '').split('\n')) pre.append(lineOf(text));
  const body = make('div', { className: 'body' }, pre);
  if (item.node !== undefined) {
    body.append(linksOf('Depends on', changedBehind(item.node, plan.graph.waits)),
                linksOf('Needed by', changedBehind(item.node, waiters())));
  }
  return body;
}

function linksOf(title, nodes) {
  if (nodes.length === 0) return '';
  const box = make('div', { className: 'links' }, title + ': ');
  for (const node of nodes.slice(0, 40)) {
    const name = plan.graph.names[node];
    box.append(make('button', { type: 'button', textContent: name, onclick: () => search(name) }));
  }
  if (nodes.length > 40) box.append(` and ${nodes.length - 40} more`);
  return box;
}

function rowOf(item) {
  const row = make('div', { className: 'change' });
  const button = make('button', { type: 'button', 'aria-expanded': 'false' },
    make('span', { className: 'symbol ' + item.action, textContent: SYMBOLS[item.action] }),
    make('span', { className: 'address', textContent: item.address }),
    make('span', { className: 'what', textContent: WORDS[item.action] }));
  row.append(button);
  const show = (open) => {
    if (open === (row.children.length > 1)) return;
    if (open) row.append(bodyOf(item)); else row.lastChild.remove();
    button.setAttribute('aria-expanded', String(open));
    if (open) opened.add(item); else opened.delete(item);
  };
  button.onclick = () => show(row.children.length === 1);
  row.show = show;
  if (opened.has(item)) show(true);
  return row;
}

function noticeOf(notice) {
  const box = make('div', { className: notice.error ? 'notice error' : 'notice', tabIndex: 0 },
    make('h2', { textContent: (notice.error ? 'Error: ' : 'Warning: ') + notice.summary }));
  if (notice.place) box.append(make('p', { className: 'place', textContent: notice.place }));
  if (notice.detail) box.append(make('p', { textContent: notice.detail }));
  return box;
}

// ---- the list

function drawMore() {
  const list = byId('list');
  const some = listed.slice(drawn, drawn + CHUNK);
  const make_row = wanted.part.id === 'warnings' ? noticeOf : rowOf;
  list.append(...some.map(make_row));
  drawn += some.length;
}

function redraw() {
  const part = wanted.part;
  byId('list').replaceChildren();
  drawn = 0;
  listed = [];
  const filtered = part.id !== 'warnings';
  byId('tools').style.display = filtered ? '' : 'none';
  byId('expand').style.display = part.id === 'graph' ? 'none' : '';
  if (part.id === 'graph') return drawGraph();
  listed = filtered ? part.items.filter(matches) : part.items;
  const all = part.items.length;
  byId('count').textContent = all === 0 ? 'Nothing here.'
    : listed.length === all ? `${all.toLocaleString('en')} in all`
    : `${listed.length.toLocaleString('en')} of ${all.toLocaleString('en')}`;
  drawMore();
}

function search(text) {
  byId('search').value = text;
  wanted.text = text.toLowerCase().trim();
  if (wanted.part.id === 'graph') choose(parts[0]); else redraw();
}

function clearFilters() {
  wanted.module = '';
  wanted.hidden.clear();
  byId('module').value = '';
  for (const chip of byId('actions').children) chip.setAttribute('aria-pressed', 'true');
  search('');
}

function toggleAll() {
  const rows = () => [...byId('list').querySelectorAll('.change')];
  const open = rows().some((row) => row.children.length === 1);
  while (open && drawn < Math.min(listed.length, OPEN_AT_MOST)) drawMore();
  rows().slice(0, OPEN_AT_MOST).forEach((row) => row.show(open));
}

// ---- the graph

let waitersOfAll = null;
function waiters() {
  if (waitersOfAll === null) {
    waitersOfAll = plan.graph.waits.map(() => []);
    plan.graph.waits.forEach((waits, from) => waits.forEach((to) => waitersOfAll[to].push(from)));
  }
  return waitersOfAll;
}

let changedNodes = null;
function isChanged(node) {
  if (changedNodes === null) changedNodes = new Set(plan.changes.map((change) => change.node));
  return changedNodes.has(node);
}

// The nearest resources with changes behind a node, by way of whatever does not change.
function changedBehind(node, edges) {
  const seen = new Set([node]);
  const found = [];
  const todo = [...edges[node]];
  while (todo.length > 0) {
    const next = todo.pop();
    if (seen.has(next)) continue;
    seen.add(next);
    if (isChanged(next)) found.push(next); else todo.push(...edges[next]);
  }
  return found.sort((a, b) => plan.graph.names[a] < plan.graph.names[b] ? -1 : 1);
}

// Actions and numbers of instances by node, of the changes that the filters let through.
function nodesToDraw() {
  const nodes = new Map();
  for (const change of plan.changes) {
    if (change.node === undefined || !matches(change)) continue;
    const entry = nodes.get(change.node);
    if (entry === undefined) nodes.set(change.node, { count: 1, action: change.action });
    else {
      entry.count += 1;
      if (entry.action !== change.action) entry.action = 'update';
    }
  }
  return nodes;
}

// The column of each node: one further than the furthest that it waits for.
function columnsOf(nodes, before) {
  const column = new Map();
  for (const start of nodes.keys()) {
    const stack = [start];
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      if (column.has(node)) { stack.pop(); continue; }
      const open = before.get(node).filter((each) => !column.has(each) && !stack.includes(each));
      if (open.length > 0) { stack.push(...open); continue; }
      column.set(node, Math.max(-1, ...before.get(node).map((each) => column.get(each) ?? -1)) + 1);
      stack.pop();
    }
  }
  // What waits for nothing stands just before what needs it, not at the far left.
  const nearest = new Map();
  for (const [node, waits] of before) {
    for (const wait of waits) {
      nearest.set(wait, Math.min(nearest.get(wait) ?? Infinity, column.get(node)));
    }
  }
  for (const [node, next] of nearest) {
    if (before.get(node).length === 0) column.set(node, next - 1);
  }
  return column;
}

function placesOf(nodes, before) {
  const column = columnsOf(nodes, before);
  const columns = [];
  for (const node of nodes.keys()) (columns[column.get(node)] ||= []).push(node);
  const row = new Map();
  for (const members of columns) {
    // Near to what they wait for, then by name.
    const wish = (node) => {
      const rows = before.get(node).map((each) => row.get(each)).filter((each) => each !== undefined);
      return rows.length === 0 ? 1e9 : rows.reduce((a, b) => a + b, 0) / rows.length;
    };
    const wishes = new Map(members.map((node) => [node, wish(node)]));
    members.sort((a, b) => wishes.get(a) - wishes.get(b) || (plan.graph.names[a] < plan.graph.names[b] ? -1 : 1));
    members.forEach((node, i) => row.set(node, i));
  }
  const widths = columns.map((members) => Math.max(...members.map((node) => labelOf(node, nodes).length)) * 7.3 + 24);
  const left = [];
  widths.reduce((x, width, i) => { left[i] = x; return x + width + 60; }, 20);
  const places = new Map();
  for (const node of nodes.keys()) {
    const at = column.get(node);
    places.set(node, { x: left[at], y: 20 + row.get(node) * 40, width: widths[at], height: 28 });
  }
  return places;
}

function labelOf(node, nodes) {
  const { count, action } = nodes.get(node);
  return `${SYMBOLS[action]} ${plan.graph.names[node]}` + (count > 1 ? ` (${count})` : '');
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function drawGraph() {
  const nodes = nodesToDraw();
  if (nodes.size === 0 || nodes.size > DRAW_AT_MOST) {
    byId('count').textContent = nodes.size === 0 ? 'No resources with changes to draw.'
      : `${nodes.size.toLocaleString('en')} resources have changes; up to ${DRAW_AT_MOST} can be drawn. ` +
        'Choose a module or search, to draw a part.';
    return;
  }
  byId('count').textContent = `${nodes.size} resources with changes. Each stands to the right of what it waits for.`;
  const before = new Map();
  for (const node of nodes.keys()) {
    before.set(node, changedBehind(node, plan.graph.waits).filter((each) => nodes.has(each)));
  }
  const places = placesOf(nodes, before);
  const edges = [];
  const picture = svg('svg', { role: 'img', 'aria-label': 'What depends on what' });
  for (const [node, waits] of before) {
    for (const wait of waits) {
      const a = places.get(wait), b = places.get(node);
      const [x1, y1, x2, y2] = [a.x + a.width, a.y + 14, b.x, b.y + 14];
      const bend = Math.max(30, (x2 - x1) / 2);
      const path = svg('path', { d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}` });
      edges.push({ path, ends: [node, wait] });
      picture.append(path);
    }
  }
  for (const [node, place] of places) {
    const text = svg('text', { x: place.x + 10, y: place.y + 18 }, labelOf(node, nodes));
    const rect = svg('rect', { x: place.x, y: place.y, width: place.width, height: place.height });
    const box = svg('g', { class: nodes.get(node).action, tabindex: 0, role: 'link' }, rect, text);
    const light = (on) => edges.forEach(({ path, ends }) => path.classList.toggle('near', on && ends.includes(node)));
    box.onmouseenter = box.onfocus = () => light(true);
    box.onmouseleave = box.onblur = () => light(false);
    box.onclick = () => search(plan.graph.names[node]);
    box.onkeydown = (event) => { if (event.key === 'Enter') search(plan.graph.names[node]); };
    picture.append(box);
  }
  const all = [...places.values()];
  picture.setAttribute('width', Math.max(...all.map((place) => place.x + place.width)) + 20);
  picture.setAttribute('height', Math.max(...all.map((place) => place.y + place.height)) + 20);
  byId('list').append(make('div', { className: 'graph' }, picture));
}

// ---- around it

function choose(part) {
  wanted.part = part;
  for (const tab of byId('tabs').children) tab.setAttribute('aria-selected', String(tab.shows === part));
  redraw();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function move(by) {
  const rows = [...byId('list').querySelectorAll('.change > button, .notice, .graph g')];
  let at = rows.indexOf(document.activeElement);
  at = at < 0 ? (by > 0 ? 0 : -1) : at + by;
  if (at >= rows.length && drawn < listed.length) { drawMore(); return move(by); }
  if (rows[at]) { rows[at].focus(); rows[at].scrollIntoView({ block: 'nearest' }); }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (event.key === 'Escape') { document.activeElement.blur(); return; }
  if (/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) return;
  const keys = {
    '/': () => byId('search').focus(), j: () => move(1), k: () => move(-1),
    ArrowDown: () => move(1), ArrowUp: () => move(-1), e: toggleAll, c: clearFilters,
    t: () => byId('theme').click(), '?': () => byId('help').showModal(),
  };
  parts.forEach((part, i) => { keys[String(i + 1)] = () => choose(part); });
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
}

function fillModules() {
  const counts = new Map();
  for (const change of plan.changes) counts.set(change.module, (counts.get(change.module) || 0) + 1);
  const select = byId('module');
  select.append(make('option', { value: '', textContent: 'All modules' }));
  for (const [name, count] of [...counts].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    select.append(make('option', { value: name || '(root)', textContent: `${name || 'Root module'} (${count})` }));
  }
  select.style.display = counts.size > 1 ? '' : 'none';
  select.onchange = () => { wanted.module = select.value; redraw(); };
}

function fillActions() {
  const counts = new Map();
  for (const change of plan.changes) counts.set(change.action, (counts.get(change.action) || 0) + 1);
  for (const action of Object.keys(SYMBOLS)) {
    if (!counts.has(action)) continue;
    const chip = make('button', {
      type: 'button', className: action, 'aria-pressed': 'true',
      textContent: `${SYMBOLS[action]} ${WORDS[action]} ${counts.get(action).toLocaleString('en')}`.trim(),
    });
    chip.onclick = () => {
      const hide = !wanted.hidden.has(action);
      if (hide) wanted.hidden.add(action); else wanted.hidden.delete(action);
      chip.setAttribute('aria-pressed', String(!hide));
      redraw();
    };
    byId('actions').append(chip);
  }
}

function begin() {
  const modes = { destroy: 'This plan destroys everything.', 'refresh-only': 'This plan only updates the state.' };
  byId('summary').textContent = plan.errored ? 'Planning failed: this plan is not complete' : plan.summary;
  byId('facts').textContent = [
    modes[plan.mode], plan.made && `Planned ${plan.made.replace('T', ' ').replace('Z', ' UTC')}`,
    plan.workspace && `Workspace ${plan.workspace}`, `OpenTofu ${plan.version}`,
  ].filter(Boolean).join(' · ');
  document.title = plan.summary;
  for (const part of parts) {
    const count = part.items ? ` ${part.items.length.toLocaleString('en')}` : '';
    const tab = make('button', { type: 'button', role: 'tab', textContent: part.title + count, onclick: () => choose(part) });
    tab.shows = part;
    if (!part.items || part.items.length > 0 || part.id === 'changes') byId('tabs').append(tab);
  }
  fillModules();
  fillActions();
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  byId('theme').onclick = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  byId('help-button').onclick = () => byId('help').showModal();
  byId('expand').onclick = toggleAll;
  byId('search').oninput = (event) => { wanted.text = event.target.value.toLowerCase().trim(); redraw(); };
  document.addEventListener('keydown', onKey);
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && drawn < listed.length) drawMore();
  }, { rootMargin: '600px' }).observe(byId('more'));
  choose(parts[0]);
}

begin();
