// The server's answers. The key lives in this module, in this tab, and nowhere else.

const base = new URL("../v1/", import.meta.url);
let key = "";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function useKey(text) {
  key = text.trim();
}

async function asked(path, options) {
  const headers = { Accept: "application/json", ...options.headers };
  if (key) headers.Authorization = `Bearer ${key}`;
  let answer;
  try {
    answer = await fetch(new URL(path, base), { ...options, headers, credentials: "omit" });
  } catch {
    throw new Refused(0, "The server does not answer.");
  }
  const body = await answer.json().catch(() => ({ message: answer.statusText }));
  if (!answer.ok) throw new Refused(answer.status, body.message);
  return body;
}

export function get(path, values = {}) {
  const query = new URLSearchParams(values);
  return asked(`${path}?${query}`, { method: "GET" });
}

export function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return asked(path, { method: "POST", headers, body: JSON.stringify(body) });
}
