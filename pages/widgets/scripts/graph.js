// A picture of boxes and lines: drawn by vis-network on a canvas, reachable by keys, kept where it was, saved as a PNG.
// Texts from outside reach the canvas and textContent only.
const TONES = ["slate", "teal", "violet", "amber", "grey", "red", "rose", "accent", "ink"];
const GROUND = ["muted", "card", "rule", "paper", "wash"];

async function library() {
  for (let n = 0; n < 400 && !(window.vis && window.vis.Network); n++) await new Promise(done => setTimeout(done, 25));
  return window.vis;
}

function colours(host) {
  // The desk's own colours, as this theme has them.
  const probe = document.createElement("span"), found = {};
  host.appendChild(probe);
  for (const name of [...TONES, ...GROUND]) {
    probe.style.color = `var(--cd-${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

function outline(ctx, form, x, y, w, h) {
  const left = x - w / 2, top = y - h / 2, fold = 9, cut = 10;
  ctx.beginPath();
  if (form === "evidence") {
    ctx.moveTo(left, top); ctx.lineTo(left + w - fold, top); ctx.lineTo(left + w, top + fold); ctx.lineTo(left + w, top + h); ctx.lineTo(left, top + h);
  } else if (form === "artifact") {
    ctx.moveTo(left + cut, top); ctx.lineTo(left + w - cut, top); ctx.lineTo(left + w, y); ctx.lineTo(left + w - cut, top + h); ctx.lineTo(left + cut, top + h); ctx.lineTo(left, y);
  } else {
    ctx.roundRect(left, top, w, h, form === "claim" ? 9 : 3);
  }
  ctx.closePath();
}

function cut(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(text.slice(0, middle) + "…").width <= width) low = middle; else high = middle - 1;
  }
  return text.slice(0, low) + "…";
}

function fold(ctx, text, width) {
  // Titles of one kind begin alike; what tells them apart is often at their end.
  if (ctx.measureText(text).width <= width) return text;
  let keep = text.length;
  const short = () => text.slice(0, Math.ceil(keep * 0.35)) + "…" + text.slice(text.length - Math.floor(keep * 0.65));
  while (keep > 2 && ctx.measureText(short()).width > width) keep -= 1;
  return short();
}

function renderer(look) {
  return ({ ctx, id, x, y, state: { selected, hover } }) => ({
    drawNode() {
      const node = look.by.get(id), c = look.colours, [w, h] = look.box;
      if (!node) return;
      ctx.save();
      if (node.many) {
        for (const off of [6, 3]) { outline(ctx, node.form, x + off, y + off, w, h); ctx.fillStyle = c.card; ctx.fill(); ctx.strokeStyle = c.rule; ctx.lineWidth = 1.2; ctx.stroke(); }
      }
      outline(ctx, node.form, x, y, w, h);
      ctx.fillStyle = c.card; ctx.fill();
      if (node.many) ctx.setLineDash([5, 3]);
      ctx.strokeStyle = node.chosen || selected || hover ? c.accent : c[node.tone]; ctx.lineWidth = node.chosen || selected ? 2.6 : node.centre ? 2.2 : 1.3; ctx.stroke();
      if (node.delivered) { outline(ctx, node.form, x, y, w - 6, h - 6); ctx.lineWidth = 0.9; ctx.stroke(); }
      ctx.setLineDash([]);
      if (node.band) { ctx.fillStyle = c[node.band]; ctx.fillRect(x - w / 2 + (node.form === "artifact" ? 12 : 1), y + h / 2 - 5, w - (node.form === "artifact" ? 24 : 2), 4); }
      if (look.active === id && look.focused) { outline(ctx, "claim", x, y, w + 10, h + 10); ctx.strokeStyle = c.accent; ctx.lineWidth = 2; ctx.setLineDash([2, 2]); ctx.stroke(); ctx.setLineDash([]); }
      const left = x - w / 2 + 13;
      ctx.textAlign = "left"; ctx.textBaseline = "middle";
      ctx.fillStyle = c[node.tone]; ctx.font = '15px "Material Symbols Rounded"'; ctx.fillText(node.symbol, left, y - 8);
      ctx.fillStyle = c.ink; ctx.font = '600 13px "Source Sans", sans-serif'; ctx.fillText((node.ends ? fold : cut)(ctx, node.head, w - 46), left + 20, y - 8);
      ctx.fillStyle = c.muted; ctx.font = '11.5px "Source Sans", sans-serif'; ctx.fillText(cut(ctx, node.under, w - 24), left, y + 10);
      ctx.restore();
    },
    nodeDimensions: { width: look.box[0], height: look.box[1] },
  });
}

function line(look, edge) {
  const colour = edge.way ? look.colours.accent : look.colours.muted, faint = edge.way ? 0.95 : 0.45;
  return { ...edge, color: { color: colour, opacity: faint, highlight: colour, hover: colour, inherit: false } };
}

function box(look, node) {
  return { id: node.id, x: node.x, y: node.y, shape: "custom", ctxRenderer: look.shape, fixed: true };
}

function sync(set, fresh) {
  const wanted = new Set(fresh.map(one => one.id));
  set.remove(set.getIds().filter(id => !wanted.has(id)));
  set.update(fresh);
}

function bounds(data) {
  const xs = data.nodes.map(node => node.x), ys = data.nodes.map(node => node.y), [w, h] = data.box;
  return { left: Math.min(...xs) - w / 2 - 12, right: Math.max(...xs) + w / 2 + 16, top: Math.min(...ys) - h / 2 - 10, bottom: Math.max(...ys) + h / 2 + 14 };
}

function stretch(look) {
  // As high as the boxes are at the scale the width allows, up to the height given; it grows and does not shrink.
  const b = bounds(look.data), least = look.data.least || 0.1, scale = Math.max(least, Math.min(1.05, look.host.clientWidth / (b.right - b.left)));
  look.high = Math.max(look.high || 0, Math.min(look.data.height, Math.max(look.data.least ? 130 : look.data.height, (b.bottom - b.top) * scale)));
  look.host.style.height = look.high + "px";
}

function fit(look, whole) {
  const { data, host } = look;
  if (!look.net || !host.clientWidth) return;
  const b = bounds(data), wide = b.right - b.left, high = b.bottom - b.top;
  let scale = Math.min(1.05, host.clientWidth / wide, look.high / high), x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;
  if (!whole && data.least && scale < data.least) {
    // Too small to read: the middle is shown, the rest lies a drag away.
    scale = data.least;
    const middle = look.by.get(data.centre) || { x, y }, half = host.clientWidth / 2 / scale, tall = look.high / 2 / scale;
    x = wide > 2 * half ? Math.min(Math.max(middle.x, b.left + half), b.right - half) : x;
    y = high > 2 * tall ? Math.min(Math.max(middle.y, b.top + tall), b.bottom - tall) : y;
  }
  look.net.moveTo({ position: { x, y }, scale, animation: false });
  hint(look);
}

function hint(look) {
  const note = look.tools.querySelector("span");
  if (note) note.textContent = look.data.nodes.every(node => inView(look, node)) ? "" : look.data.tools.clipped;
}

function inView(look, node) {
  const at = look.net.canvasToDOM({ x: node.x, y: node.y }), [w, h] = look.box.map(one => one * look.net.getScale() / 2);
  return at.x - w >= -4 && at.x + w <= look.host.clientWidth + 4 && at.y - h >= -4 && at.y + h <= look.high + 4;
}

function keep(look) {
  hint(look);
  if (look.data.view) { try { sessionStorage.setItem("graph:" + look.data.view, JSON.stringify({ position: look.net.getViewPosition(), scale: look.net.getScale() })); } catch { /* no storage: it starts anew */ } }
}

function recall(look) {
  try { return look.data.view ? JSON.parse(sessionStorage.getItem("graph:" + look.data.view)) : null; } catch { return null; }
}

function show(look, id) {
  // Moves the picture only when the box would lie outside of it.
  const node = look.by.get(id);
  if (node && !inView(look, node)) { look.net.moveTo({ position: { x: node.x, y: node.y }, scale: look.net.getScale(), animation: false }); keep(look); }
}

function neighbours(look, id, forward) {
  return look.data.edges.filter(edge => (forward ? edge.from : edge.to) === id).map(edge => look.by.get(forward ? edge.to : edge.from)).filter(Boolean);
}

function step(look, key) {
  const here = look.by.get(look.active), all = look.data.nodes;
  if (!here) return all[0] && all[0].id;
  const nearest = some => some.sort((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y) || Math.abs(a.x - here.x) - Math.abs(b.x - here.x) || a.y - b.y)[0];
  let found;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const forward = key === "ArrowRight", beyond = node => (forward ? node.x > here.x : node.x < here.x);
    found = nearest(neighbours(look, here.id, forward).filter(beyond)) || nearest(neighbours(look, here.id, forward).filter(node => node.x === here.x)) || nearest(all.filter(beyond));
  } else {
    const down = key === "ArrowDown";
    found = all.filter(node => node.x === here.x && (down ? node.y > here.y : node.y < here.y)).sort((a, b) => (down ? a.y - b.y : b.y - a.y))[0];
  }
  return found ? found.id : here.id;
}

function name(look) {
  const at = look.data.nodes.findIndex(node => node.id === look.active);
  look.keys.setAttribute("aria-activedescendant", at < 0 ? "" : `graph-${look.data.name}-${at}`);
  for (const [n, item] of [...look.keys.children].entries()) item.setAttribute("aria-selected", String(n === at));
}

function list(look) {
  const items = look.data.nodes.map((node, n) => {
    const item = document.createElement("div");
    item.id = `graph-${look.data.name}-${n}`;
    item.setAttribute("role", "option");
    item.textContent = node.say;
    return item;
  });
  look.keys.replaceChildren(...items);
  look.keys.setAttribute("aria-label", look.data.describe);
  if (!look.by.has(look.active)) look.active = look.data.chosen && look.by.has(look.data.chosen) ? look.data.chosen : look.data.centre;
  name(look);
}

function listen(look) {
  const { keys, host } = look;
  keys.onkeydown = event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow")) look.active = step(look, event.key);
    else if (event.key === "Home" || event.key === "0") look.active = look.data.centre ?? look.active;
    else if (event.key === "Enter" || event.key === " ") { if (!event.repeat && look.by.has(look.active)) look.fire("pick", look.active); }
    else if ((event.key === "+" || event.key === "-") && look.data.tools) zoom(look, event.key === "+" ? 1.25 : 0.8);
    else return;
    event.preventDefault(); event.stopPropagation();
    name(look); show(look, look.active); look.net.redraw();
  };
  keys.onfocus = () => { look.focused = keys.matches(":focus-visible"); look.net && look.net.redraw(); };
  keys.onblur = () => { look.focused = false; look.net && look.net.redraw(); };
  host.onmousedown = () => keys.focus({ preventScroll: true });
}

function zoom(look, by) {
  look.net.moveTo({ scale: Math.min(2.5, Math.max(0.08, look.net.getScale() * by)), position: look.net.getViewPosition(), animation: false });
  keep(look);
}

function furnish(look) {
  const words = look.data.tools;
  if (!words) { look.tools.replaceChildren(); return; }
  const button = (text, label, press) => {
    const made = document.createElement("button");
    made.type = "button"; made.textContent = text; made.title = label; made.setAttribute("aria-label", label); made.onclick = press;
    return made;
  };
  look.tools.replaceChildren(document.createElement("span"), button("−", words.wider, () => zoom(look, 0.8)), button("+", words.closer, () => zoom(look, 1.25)),
    button(words.fitWord, words.fit, () => { fit(look, true); keep(look); }), button("PNG", words.png, () => save(look)));
}

async function save(look) {
  // The whole picture, also what lies outside the window, on a canvas of its own; nothing leaves the browser.
  const { data, vis } = look, b = bounds(data), ratio = window.devicePixelRatio || 1;
  const scale = Math.min(2 / ratio, 12000 / ratio / (b.right - b.left), 12000 / ratio / (b.bottom - b.top));
  const wide = Math.ceil((b.right - b.left) * scale), high = Math.ceil((b.bottom - b.top) * scale), room = document.createElement("div");
  room.style.cssText = `position: fixed; left: -100000px; top: 0; width: ${wide}px; height: ${high}px;`;
  look.host.appendChild(room);
  const still = { ...look, focused: false }, shape = renderer(still);
  const net = new vis.Network(room, { nodes: data.nodes.map(node => ({ ...box(look, node), ctxRenderer: shape })), edges: data.edges.map(edge => line(look, edge)) },
    { ...data.options, interaction: { ...data.options.interaction, hover: false }, autoResize: false });
  const drawn = new Promise(done => net.once("afterDrawing", done));
  net.moveTo({ position: { x: (b.left + b.right) / 2, y: (b.top + b.bottom) / 2 }, scale, animation: false });
  net.redraw();
  await drawn;
  const picture = room.querySelector("canvas"), sheet = document.createElement("canvas"), unit = picture.width / (b.right - b.left), head = Math.round(46 * unit);
  sheet.width = Math.max(picture.width, Math.round(420 * unit)); sheet.height = picture.height + head;
  const ctx = sheet.getContext("2d");
  ctx.fillStyle = look.colours.paper; ctx.fillRect(0, 0, sheet.width, sheet.height);
  ctx.fillStyle = look.colours.ink; ctx.font = `600 ${14 * unit}px "Source Sans", sans-serif`; ctx.fillText(cut(ctx, data.title, sheet.width - 32 * unit), 16 * unit, 20 * unit);
  ctx.fillStyle = look.colours.muted; ctx.font = `${11.5 * unit}px "Source Sans", sans-serif`; ctx.fillText(cut(ctx, data.holds, sheet.width - 32 * unit), 16 * unit, 37 * unit);
  ctx.drawImage(picture, 0, head);
  look.host.dataset.saved = `${net.body.nodeIndices.length} ${net.body.edgeIndices.length}`;
  net.destroy(); room.remove();
  const blob = await new Promise(done => sheet.toBlob(done, "image/png")), link = document.createElement("a");
  link.href = URL.createObjectURL(blob); link.download = data.file; link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export default async function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".g"), keys = parentElement.querySelector(".k"), tools = parentElement.querySelector(".t");
  if (!host.__look) host.style.height = data.height + "px";
  host.style.minWidth = Math.min(data.wide, 760) + "px";
  host.setAttribute("aria-label", data.describe);
  const vis = await library();
  if (!vis || !host.isConnected) return () => {};
  const look = host.__look || (host.__look = { host, keys, tools, vis, active: null, focused: false });
  const before = look.data;
  look.fire = setTriggerValue;
  look.colours = colours(host);
  look.data = data;
  look.box = data.box;
  look.by = new Map(data.nodes.map(node => [node.id, node]));
  if (look.net && before.view === data.view) {
    const fresh = data.nodes.filter(node => !look.nodes.get(node.id));
    sync(look.nodes, data.nodes.map(node => box(look, node)));
    sync(look.edges, data.edges.map(edge => line(look, edge)));
    const tall = look.high;
    stretch(look);
    if (look.high !== tall) look.net.setSize("100%", look.high + "px");
    look.net.redraw();
    if (fresh.some(node => !inView(look, node))) { fit(look, false); keep(look); }
  } else {
    if (look.watch) look.watch.disconnect();
    if (look.net) look.net.destroy();
    look.high = 0;
    stretch(look);
    look.shape = renderer(look);
    look.nodes = new vis.DataSet(data.nodes.map(node => box(look, node)));
    look.edges = new vis.DataSet(data.edges.map(edge => line(look, edge)));
    look.net = new vis.Network(host, { nodes: look.nodes, edges: look.edges }, data.options);
    const known = recall(look);
    if (known) look.net.moveTo({ ...known, animation: false }); else fit(look, false);
    document.fonts.load('15px "Material Symbols Rounded"', "history").then(() => look.net && look.net.redraw());
    let width = host.clientWidth;
    look.watch = new ResizeObserver(() => {
      if (!look.net || !host.clientWidth || width === host.clientWidth) return;
      width = host.clientWidth;
      stretch(look); look.net.setSize("100%", look.high + "px"); look.net.redraw(); fit(look, false);
    });
    look.watch.observe(host);
    look.net.on("click", event => { if (event.nodes.length) { look.active = event.nodes[0]; name(look); look.fire("pick", event.nodes[0]); } });
    look.net.on("hoverNode", () => { host.style.cursor = "pointer"; });
    look.net.on("blurNode", () => { host.style.cursor = "default"; });
    look.net.on("dragEnd", () => keep(look));
    listen(look);
    host.__places = () => Object.fromEntries(look.data.nodes.map(node => [node.id, look.net.canvasToDOM({ x: node.x, y: node.y })]));
    host.__stands = () => Object.fromEntries(look.data.nodes.map(node => { const { x, y } = look.net.body.nodes[node.id]; return [node.id, [x, y]]; }));
  }
  list(look);
  furnish(look);
  hint(look);
  host.dataset.drawn = String(data.nodes.length);
  host.dataset.lines = String(look.edges.length);
  return () => { if (look.watch) look.watch.disconnect(); if (look.net) look.net.destroy(); look.net = look.watch = null; host.__look = null; };
}
