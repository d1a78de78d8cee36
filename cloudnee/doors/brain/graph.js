// The drawing: nodes and lines as SVG, so that each can be focused, clicked and read aloud.
// Whatever comes from pages is set as text, never as markup.

import { settle, step } from "./layout.js";

const SVG = "http://www.w3.org/2000/svg";
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const COLOURS = 8;

function made(name, values, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

function short(text, most = 26) {
  const letters = Array.from(text);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

export class Graph {
  constructor(svg, { open, expand }) {
    this.svg = svg;
    this.view = svg.querySelector("#view");
    this.layers = Object.fromEntries(["lines", "labels", "nodes"].map((n) => [n, svg.querySelector(`#${n}`)]));
    this.open = open;
    this.expand = expand;
    this.clear();
    this.scale = 1;
    this.left = 0;
    this.top = 0;
    this.listen();
    new ResizeObserver(() => this.place()).observe(svg);
  }

  clear() {
    this.nodes = new Map();
    this.links = new Map();
    this.types = new Map([["", 0]]);
    this.chosen = null;
    this.svg.classList.remove("chosen-one");
    for (const layer of Object.values(this.layers ?? {})) layer.replaceChildren();
  }

  // what is drawn

  add({ entities, edges, mentions }, around) {
    const start = this.nodes.get(around) ?? { x: 0, y: 0 };
    const before = this.nodes.size;
    for (const entity of entities) this.addNode(entity, start);
    for (const edge of edges) this.addLink(edge);
    for (const mention of mentions) this.addLink({ ...mention, relation: "mentions", ended: "" }, "mention");
    const busiest = [...this.nodes.values()].sort((a, b) => b.degree - a.degree || a.at - b.at);
    busiest.forEach((node, rank) => this.dress(node, rank));
    this.settle(before === 0);
    return this.nodes.size - before;
  }

  addNode(entity, start) {
    const known = this.nodes.get(entity.entityId);
    if (known) {
      Object.assign(known, { name: entity.displayName, type: entity.entityType, degree: entity.degree });
      return;
    }
    const at = this.nodes.size;
    const turn = at * 2.399963; // the golden angle: no two begin at one place
    const far = 16 * Math.sqrt(at + 1);
    const node = {
      at,
      id: entity.entityId,
      name: entity.displayName,
      type: entity.entityType,
      degree: entity.degree,
      links: 0,
      x: start.x + far * Math.cos(turn),
      y: start.y + far * Math.sin(turn),
      near: new Set(),
    };
    node.element = made("g", { class: "node", tabindex: "-1", role: "button" }, this.layers.nodes);
    node.dot = made("circle", { class: "dot" }, node.element);
    node.label = made("text", {}, node.element);
    node.title = made("title", {}, node.element);
    node.element.__node = node;
    this.nodes.set(node.id, node);
  }

  addLink(edge, kind = edge.ended ? "past" : "") {
    const source = this.nodes.get(edge.sourceId);
    const target = this.nodes.get(edge.targetId);
    if (!source || !target || source === target) return;
    const name = JSON.stringify([edge.sourceId, edge.targetId, kind]);
    let link = this.links.get(name);
    if (!link) {
      link = { source, target, past: kind !== "", relations: new Set() };
      link.line = made("line", { class: `line ${kind}`.trim(), "marker-end": "url(#arrow)" }, this.layers.lines);
      link.label = made("text", { class: "relation" }, this.layers.labels);
      this.links.set(name, link);
      source.says = source.says || !link.past;
      source.links += 1;
      target.links += 1;
      source.near.add(target);
      target.near.add(source);
    }
    link.relations.add(edge.relation.replaceAll("_", " "));
  }

  dress(node, rank) {
    if (!this.types.has(node.type)) this.types.set(node.type, 1 + ((this.types.size - 1) % (COLOURS - 1)));
    const many = node.degree - node.links > 0 && node.degree > node.near.size;
    const value = !node.says && !node.type; // nothing is said about it: it is what is said
    node.radius = (value ? 3.5 : 5) + 2.2 * Math.sqrt(Math.min(node.degree, 40));
    node.element.setAttribute("class", `node t${this.types.get(node.type)}${many ? " more" : ""}${value ? " value" : ""}`);
    node.element.dataset.entity = node.id;
    node.dot.setAttribute("r", node.radius);
    node.label.textContent = short(node.name);
    node.label.setAttribute("y", node.radius + 13);
    node.label.setAttribute("class", rank < 60 ? "" : "far");
    node.title.textContent = node.name;
    const kind = node.type ? `, ${node.type}` : "";
    node.element.setAttribute("aria-label", `${node.name}${kind}, ${node.degree} facts`);
  }


  // where it stands

  settle(fit) {
    cancelAnimationFrame(this.frame);
    const nodes = [...this.nodes.values()];
    const links = [...this.links.values()];
    const first = fit ? 240 : 60;
    settle(nodes, links, nodes.length > 600 ? Math.min(first, 90) : first);
    this.draw();
    if (fit) this.fit();
    if (this.focusable) this.focusable.element.setAttribute("tabindex", "-1");
    this.focusable = this.chosen ?? nodes.reduce((best, n) => (!best || n.degree > best.degree ? n : best), null);
    this.focusable?.element.setAttribute("tabindex", "0");
    if (calm.matches || nodes.length > 600) return;
    let left = 60;
    const tick = () => {
      step(nodes, links, left / 240);
      this.draw();
      left -= 1;
      if (left > 0) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  draw() {
    for (const node of this.nodes.values()) {
      node.element.setAttribute("transform", `translate(${node.x.toFixed(1)} ${node.y.toFixed(1)})`);
    }
    for (const { source, target, line, label } of this.links.values()) {
      const dx = target.x - source.x;
      const dy = target.y - source.y;
      const far = Math.hypot(dx, dy) || 1;
      const from = source.radius / far;
      const to = (target.radius + 3) / far;
      line.setAttribute("x1", (source.x + dx * from).toFixed(1));
      line.setAttribute("y1", (source.y + dy * from).toFixed(1));
      line.setAttribute("x2", (target.x - dx * to).toFixed(1));
      line.setAttribute("y2", (target.y - dy * to).toFixed(1));
      label.setAttribute("x", (source.x + dx * 0.58).toFixed(1));
      label.setAttribute("y", (source.y + dy * 0.58 + 3).toFixed(1));
    }
  }

  place() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    const x = width / 2 + this.left;
    const y = height / 2 + this.top;
    this.view.setAttribute("transform", `translate(${x} ${y}) scale(${this.scale})`);
    this.svg.classList.toggle("labels-all", this.scale > 1.3);
  }

  fit() {
    const nodes = [...this.nodes.values()];
    if (!nodes.length) return;
    const xs = nodes.map((n) => n.x);
    const ys = nodes.map((n) => n.y);
    const [x0, x1] = [Math.min(...xs) - 70, Math.max(...xs) + 70];
    const [y0, y1] = [Math.min(...ys) - 50, Math.max(...ys) + 60];
    const { clientWidth: width, clientHeight: height } = this.svg;
    this.scale = Math.max(0.12, Math.min(1.25, width / (x1 - x0), height / (y1 - y0)));
    this.left = -((x0 + x1) / 2) * this.scale;
    this.top = -((y0 + y1) / 2) * this.scale;
    this.place();
  }

  zoom(by, x = 0, y = 0) {
    const scale = Math.max(0.1, Math.min(4, this.scale * by));
    const real = scale / this.scale;
    this.left = x - (x - this.left) * real;
    this.top = y - (y - this.top) * real;
    this.scale = scale;
    this.place();
  }

  centre(node) {
    if (this.scale < 0.8) this.scale = 0.9;
    this.left = -node.x * this.scale;
    this.top = -node.y * this.scale;
    this.place();
  }

  // what is chosen

  choose(id) {
    this.chosen = this.nodes.get(id) ?? null;
    const near = this.chosen?.near ?? new Set();
    this.svg.classList.toggle("chosen-one", this.chosen !== null);
    for (const node of this.nodes.values()) {
      node.element.classList.toggle("chosen", node === this.chosen);
      node.element.classList.toggle("near", near.has(node));
    }
    for (const link of this.links.values()) {
      const touches = this.chosen !== null && (link.source === this.chosen || link.target === this.chosen);
      link.line.classList.toggle("near", touches);
      link.label.textContent = touches ? short([...link.relations].join(", "), 30) : "";
    }
    if (this.chosen) this.focusOn(this.chosen, false);
  }

  focusOn(node, really = true) {
    this.focusable?.element.setAttribute("tabindex", "-1");
    this.focusable = node;
    node.element.setAttribute("tabindex", "0");
    if (really) node.element.focus();
  }

  // pointer and keys

  listen() {
    this.svg.addEventListener("click", (event) => {
      const node = event.target.closest?.(".node")?.__node;
      if (node && !this.moved) this.open(node.id);
    });
    this.svg.addEventListener("dblclick", (event) => {
      const node = event.target.closest?.(".node")?.__node;
      if (node) this.expand(node.id);
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  grab(event) {
    if (event.button !== 0) return;
    const node = event.target.closest?.(".node")?.__node ?? null;
    let [x, y] = [event.clientX, event.clientY];
    this.moved = false;
    const move = (to) => {
      const [dx, dy] = [to.clientX - x, to.clientY - y];
      if (!this.moved && Math.hypot(dx, dy) < 4) return;
      this.moved = true;
      [x, y] = [to.clientX, to.clientY];
      this.svg.classList.add("dragging");
      if (node) {
        node.held = true;
        node.x += dx / this.scale;
        node.y += dy / this.scale;
        this.draw();
      } else {
        this.left += dx;
        this.top += dy;
        this.place();
      }
    };
    const drop = () => {
      this.svg.classList.remove("dragging");
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  key(event) {
    const node = event.target.closest?.(".node")?.__node;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) {
      const next = this.towards(node, way);
      if (next) {
        this.focusOn(next);
        this.centre(next);
      }
    } else if (event.key === "Enter" || event.key === " ") this.open(node.id);
    else if (event.key === "e") this.expand(node.id);
    else return;
    event.preventDefault();
  }

  towards(node, [wx, wy]) {
    let best = null;
    let least = Infinity;
    for (const other of this.nodes.values()) {
      const [dx, dy] = [other.x - node.x, other.y - node.y];
      const along = dx * wx + dy * wy;
      const cost = along + 2.5 * Math.abs(dx * wy - dy * wx);
      if (other !== node && along > 1 && cost < least) [best, least] = [other, cost];
    }
    return best;
  }
}
