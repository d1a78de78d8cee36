// What stands beside the graph: facts, history, the page that says so, what was found.

import { get, post } from "./api.js";

export function element(name, { text, ...values } = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value);
  }
  if (text !== undefined) made.textContent = text; // text, never markup
  made.append(...children.filter((child) => child));
  return made;
}

const MOST = 100; // moments of a history that are shown
const KEYS = [["/", "search"], ["arrows", "move"], ["Enter", "open"], ["e", "expand"], ["+ − 0", "zoom"], ["n", "note"], ["Esc", "close"]];
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const dated = (millis) => day.format(new Date(millis));
const tab = crypto.getRandomValues(new Uint32Array(2)).join("-"); // a rating counts once a tab
const words = (relation) => relation.replaceAll("_", " ");

export class Panel {
  constructor(root, page, door) {
    this.root = root;
    this.page = page;
    this.door = door; // open(id), changed(), forget(what, body), tell(text), rights
    this.rated = new Map();
  }

  show(...children) {
    this.root.replaceChildren(...children.filter((child) => child));
    this.root.scrollTop = 0;
  }

  welcome(counts) {
    this.show(
      element("h1", { text: "What is known" }),
      element("p", { class: "under", text: `${counts.entities} things, ${counts.edges} current facts, ${counts.superseded} that were.` }),
      element("p", { text: "Click a thing to see what is current about it, where that stands, and what was before." }),
      element("p", { class: "hint keys" }, ...KEYS.map(([keys, does]) =>
        element("span", {}, element("kbd", { text: keys }), ` ${does}`))),
    );
  }

  // one entity

  async entity(id) {
    const [current, history] = await Promise.all([get("current", { who: id }), get("history", { who: id })]);
    const who = current.entities.find((one) => one.entityId === id);
    const about = (edge) => edge.sourceId === id || edge.targetId === id;
    const facts = current.edges.filter(about);
    const was = history.edges.filter(about);
    const name = who?.displayName ?? was.map((e) => (e.sourceId === id ? e.sourceName : e.targetName))[0] ?? id;
    const waiting = current.unread.map((one) => one.path).join(", ");
    this.show(
      element("h1", { text: name, id: "who" }),
      who?.entityType && element("p", { class: "under", text: who.entityType }),
      who?.aliases.length && element("p", { class: "under", text: who.aliases.join(" · ") }),
      waiting && element("p", { class: "wrong", text: `Not read yet: ${waiting}` }),
      element("h2", { text: `Current (${facts.length}${current.more ? `, ${current.more} more` : ""})` }),
      facts.length
        ? element("ul", { class: "facts" }, ...facts.map((edge) => this.fact(edge, id)))
        : element("p", { class: "hint", text: "Nothing is current." }),
      element("h2", { text: "History" }),
      element("ol", { class: "time" }, ...was.slice(0, MOST).map((edge) => this.moment(edge))),
      was.length > MOST && element("p", { class: "hint", text: `and ${was.length - MOST} more, older` }),
      this.door.rights.mayWrite && element("h2", { text: "More" }),
      this.door.rights.mayWrite && element("button", {
        type: "button", class: "forget-entity", text: `Forget ${name}…`,
        onclick: () => this.door.forget(`${name}, with ${facts.length} current facts`, { entity: id }),
      }),
    );
    return name;
  }

  fact(edge, id) {
    const out = edge.sourceId === id;
    const other = element("button", {
      type: "button", class: "plain other", text: out ? edge.targetName : edge.sourceName,
      onclick: () => this.door.open(out ? edge.targetId : edge.sourceId),
    });
    const relation = element("span", { class: "rel", text: out ? `${words(edge.relation)} ` : ` ${words(edge.relation)} this` });
    const says = out ? [relation, other] : [other, relation];
    return element("li", { class: "fact", "data-edge": edge.id },
      element("span", { class: "says" }, ...says),
      element("span", { class: "where" },
        ...edge.sources.map((source) => this.where(source.path, source.line)),
        element("span", { text: dated(edge.asOf) }),
        this.door.rights.mayRate && this.stars(edge),
        this.door.rights.mayWrite && element("button", {
          type: "button", class: "forget", text: "Forget…", "aria-label": `Forget: ${edge.text}`,
          onclick: () => this.door.forget(edge.text, { edgeId: edge.id }),
        }),
      ));
  }

  where(path, line) {
    return element("button", {
      type: "button", class: "plain where-from", text: `${path}, line ${line}`,
      onclick: () => this.read(path, line),
    });
  }

  stars(edge) {
    const fact = edge.id;
    const held = element("span", { class: "stars", role: "group", "aria-label": `Rate: ${edge.text}` });
    const paint = () => [...held.children].forEach((star, at) => {
      star.classList.toggle("on", at < (this.rated.get(fact) ?? 0));
      star.setAttribute("aria-pressed", String(at + 1 === this.rated.get(fact)));
    });
    for (const score of [1, 2, 3, 4, 5]) {
      held.append(element("button", {
        type: "button", text: "★", title: `${score} of 5`, "aria-label": `${score} of 5`,
        onclick: async () => {
          const ids = edge.sources.map((source) => source.edgeId);
          await this.door.tried(() => post("improve", { edgeIds: ids, score, key: `brain-${tab}-${fact}` }), `Rated ${score} of 5`);
          this.rated.set(fact, score);
          paint();
        },
      }));
    }
    paint();
    return held;
  }

  moment(edge) {
    const until = edge.retiredAt ? ` – ${dated(edge.retiredAt)}` : "";
    const why = edge.ended ? ` · ${edge.ended}` : " · current";
    return element("li", { class: edge.ended ? "ended" : "" },
      element("span", { class: "when", text: `${dated(edge.asOf)}${until}${why}` }),
      element("span", { class: "says", text: edge.text }), " ",
      element("span", { class: "when" }, this.where(edge.path, edge.line)));
  }

  // the page beside

  async read(path, line) {
    const { pages } = await this.door.tried(() => get("pages", { path }));
    const found = pages[0];
    if (!found) return this.door.tell("That page is gone.");
    const lines = found.markdown.split(/\r\n|\r|\n/);
    const rows = lines.map((text, at) => element("li", { text: text || " ", class: at + 1 === line ? "says-so" : "" }));
    this.page.replaceChildren(
      element("button", { type: "button", class: "close", text: "×", "aria-label": "Close the page", onclick: () => this.closePage() }),
      element("h1", { text: found.subject || path }),
      element("p", { class: "under", text: `${path} · ${dated(found.asOf)}${found.status === "written" ? "" : ` · ${found.status}`}` }),
      element("ol", { class: "text" }, ...rows),
    );
    this.page.hidden = false;
    rows[line - 1]?.scrollIntoView({ block: "center" });
    return undefined;
  }

  closePage() {
    this.page.hidden = true;
    this.page.replaceChildren();
  }

  // what was found

  found(query, current, recalled) {
    const people = current.entities.map((one) => element("li", {},
      element("button", { type: "button", class: "plain", text: one.displayName, onclick: () => this.door.open(one.entityId) }),
      element("div", { class: "hint", text: [one.entityType, ...one.aliases, ...one.paths].filter(Boolean).join(" · ") })));
    const near = current.suggestions.map((name) => element("li", {},
      "Did you mean ", element("button", { type: "button", class: "plain", text: name, onclick: () => this.door.search(name) }), "?"));
    const hits = recalled.hits.map(({ edge }) => element("li", { class: "hit" },
      element("button", { type: "button", class: "plain", text: edge.text, onclick: () => this.door.open(edge.sourceId) }),
      element("div", { class: "hint" }, this.where(edge.path, edge.line))));
    const passages = recalled.passages.map((one) => element("li", {},
      element("div", { text: one.sentence || one.text.slice(0, 300) }),
      element("div", { class: "hint" }, this.where(one.path, one.startLine))));
    const part = (title, rows) => (rows.length ? [element("h2", { text: title }), element("ul", { class: "found" }, ...rows)] : []);
    this.show(
      element("h1", { text: query }),
      ...part("Things", [...people, ...near]), ...part("Facts", hits), ...part("Passages", passages),
      !people.length && !hits.length && !passages.length && element("p", { class: "hint", text: "Nothing was found." }),
    );
  }
}
