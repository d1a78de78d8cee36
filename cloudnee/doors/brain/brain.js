// The page: what the reader does, and what that changes.

import { Refused, get, post, useKey } from "./api.js";
import { Graph } from "./graph.js";
import { Panel } from "./panel.js";

const FIRST = 150; // entities drawn at first: a neighbourhood of the busiest
const at = (id) => document.getElementById(id);
const state = { limit: FIRST, past: false, chosen: null, found: false, name: "", counts: null };

const graph = new Graph(at("graph"), { open, expand });
const door = { open, search, forget, tell, tried, rights: { mayWrite: false, mayRate: false } };
const panel = new Panel(at("panel"), at("page"), door);

let hiding;
function tell(text) {
  at("status").textContent = text;
  at("status").classList.add("shown");
  clearTimeout(hiding);
  hiding = setTimeout(() => at("status").classList.remove("shown"), 4000);
}

// Do something with the server; what it refuses is told, and a missing key is asked for.
async function tried(work, done) {
  try {
    const answer = await work();
    if (done) tell(done);
    return answer;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 401) askKey();
    else tell(error.message);
    throw error;
  }
}

// The same, begun by the reader: once told, there is nothing more to do about a refusal.
function begun(work) {
  return tried(work).catch((error) => {
    if (!(error instanceof Refused)) throw error;
  });
}

async function load() {
  const answer = await get("graph", { limit: state.limit, past: state.past });
  state.counts = answer.counts;
  Object.assign(door.rights, { mayWrite: answer.mayWrite, mayRate: answer.mayRate });
  at("org").textContent = answer.orgId;
  at("audience").textContent = answer.audience;
  at("audience").hidden = false;
  at("add-note").hidden = !answer.mayWrite;
  at("empty").hidden = answer.entities.length > 0;
  const chosen = state.chosen;
  graph.clear();
  graph.add(answer);
  at("more").hidden = answer.more === 0;
  counted();
  if (chosen) await open(chosen);
  else if (!state.found) panel.welcome(answer.counts);
}

function counted() {
  const { entities, edges, superseded } = state.counts;
  const drawn = graph.nodes.size;
  const of = drawn < entities ? `${drawn} of ${entities} things` : `${entities} things`;
  at("count-text").textContent = `${of}, ${edges} facts${state.past ? `, ${superseded} that were` : ""}`;
  const types = [...graph.types].filter(([type]) => type);
  at("legend").replaceChildren(...types.slice(0, 14).map(([type, colour]) => {
    const item = document.createElement("span");
    item.className = `t${colour}`;
    item.textContent = type;
    return item;
  }));
}

async function around(id) {
  const more = await get("graph", { who: id, past: state.past, limit: 80 });
  const added = graph.add(more, id);
  counted();
  return added;
}

function open(id) {
  return begun(async () => {
    state.chosen = id;
    state.found = false;
    if (!graph.nodes.has(id)) await around(id);
    graph.choose(id);
    if (graph.chosen) graph.centre(graph.chosen);
    state.name = await panel.entity(id);
  });
}

function expand(id) {
  return begun(async () => {
    const added = await around(id);
    graph.choose(state.chosen ?? id);
    tell(added ? `${added} more` : "No more lead from here");
  });
}

function search(query) {
  at("query").value = query;
  return begun(async () => {
    const [current, recalled] = await Promise.all([
      get("current", { who: query }), post("recall", { query, topK: 8 }),
    ]);
    if (current.entities.length === 1) return open(current.entities[0].entityId);
    panel.found(query, current, recalled);
    state.found = true;
    const first = current.entities[0]?.entityId ?? recalled.hits[0]?.edge.sourceId;
    if (first && !graph.nodes.has(first)) await around(first);
    state.chosen = null;
    graph.choose(first ?? null);
    if (graph.chosen) graph.centre(graph.chosen);
    return undefined;
  });
}

// dialogs

function dialog(name, send) {
  const box = at(`${name}-dialog`);
  const wrong = at(`${name}-wrong`);
  box.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    wrong.hidden = true;
    try {
      await send();
      box.close();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
  });
  box.querySelector(".cancel")?.addEventListener("click", () => box.close());
  return box;
}

const keyBox = dialog("key", async () => {
  useKey(at("key").value);
  await load();
  at("key").value = "";
});
keyBox.addEventListener("cancel", (event) => event.preventDefault()); // nothing to see without one

function askKey() {
  if (!keyBox.open) keyBox.showModal();
}

const noteBox = dialog("note", async () => {
  const report = await post("note", { subject: at("note-subject").value, text: at("note-text").value });
  at("note-text").value = "";
  tell(report.status === "unchanged" ? report.reason : report.edges.length ? "Noted" : "Noted on the page; no fact was read from it");
  const about = report.edges[0]?.sourceId;
  if (about) state.chosen = about;
  await load();
});

function addNote() {
  if (at("add-note").hidden) return;
  at("note-subject").value = state.chosen ? state.name : "";
  noteBox.showModal();
  at(state.chosen ? "note-text" : "note-subject").focus();
}

let forgetting = null;
const forgetBox = dialog("forget", async () => {
  await post("forget", forgetting);
  if (forgetting.entity) state.chosen = null;
  panel.closePage();
  tell("Forgotten");
  await load();
});

function forget(what, body) {
  forgetting = body;
  at("forget-what").textContent = what;
  at("forget-wrong").hidden = true;
  forgetBox.showModal();
}

// the reader

at("search").addEventListener("submit", (event) => {
  event.preventDefault();
  if (at("query").value.trim()) search(at("query").value.trim());
});
at("past").addEventListener("change", () => {
  state.past = at("past").checked;
  begun(load);
});
at("more").addEventListener("click", () => {
  state.limit = Math.min(state.limit * 3, 4000);
  begun(load);
});
at("add-note").addEventListener("click", addNote);
at("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});
at("zoom-in").addEventListener("click", () => graph.zoom(1.35));
at("zoom-out").addEventListener("click", () => graph.zoom(1 / 1.35));
at("zoom-fit").addEventListener("click", () => graph.fit());
addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input, textarea") || document.querySelector("dialog[open]");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (!at("page").hidden) panel.closePage();
    else if (state.chosen || state.found) {
      Object.assign(state, { chosen: null, found: false });
      graph.choose(null);
      panel.welcome(state.counts);
    }
    if (typing) event.target.blur();
  }
  if (typing) return;
  const does = {
    "/": () => at("query").focus(),
    "+": () => graph.zoom(1.35),
    "=": () => graph.zoom(1.35),
    "-": () => graph.zoom(1 / 1.35),
    0: () => graph.fit(),
    n: addNote,
  }[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});

begun(load);
