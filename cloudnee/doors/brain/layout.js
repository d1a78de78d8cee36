// Where nodes stand: springs along edges, repulsion between what is near, a pull to the middle.
// Repulsion looks at neighbouring cells of a grid only, so that a thousand nodes stay quick.

const REACH = 300; // how far nodes push each other
const LENGTH = 90; // of an edge at rest

export function settle(nodes, links, ticks) {
  for (let tick = 0; tick < ticks; tick += 1) step(nodes, links, 1 - tick / ticks);
}

export function step(nodes, links, heat) {
  for (const node of nodes) {
    node.fx = -node.x * 0.008;
    node.fy = -node.y * 0.014;
  }
  push(nodes);
  for (const { source, target } of links) pull(source, target);
  const most = 4 + 36 * heat;
  for (const node of nodes) {
    if (node.held) continue;
    const size = Math.hypot(node.fx, node.fy) || 1;
    const by = Math.min(most, size) / size;
    node.x += node.fx * by * heat;
    node.y += node.fy * by * heat;
  }
}

function push(nodes) {
  const cells = new Map();
  for (const node of nodes) {
    const at = `${Math.floor(node.x / REACH)},${Math.floor(node.y / REACH)}`;
    if (!cells.has(at)) cells.set(at, []);
    cells.get(at).push(node);
  }
  for (const [at, here] of cells) {
    const [x, y] = at.split(",").map(Number);
    for (let dx = -1; dx <= 1; dx += 1) {
      for (let dy = -1; dy <= 1; dy += 1) {
        for (const other of cells.get(`${x + dx},${y + dy}`) || []) {
          for (const node of here) apart(node, other);
        }
      }
    }
  }
}

function apart(node, other) {
  if (node === other) return;
  const dx = node.x - other.x || (node.at - other.at) * 0.1;
  const dy = (node.y - other.y) * 1.25 || 0.1; // labels are wide: rows keep apart
  const far = Math.hypot(dx, dy);
  if (far > REACH) return;
  const force = 9000 / Math.max(far * far, 200);
  node.fx += (dx / far) * force;
  node.fy += (dy / far) * force;
}

function pull(source, target) {
  const dx = target.x - source.x;
  const dy = target.y - source.y;
  const far = Math.hypot(dx, dy) || 1;
  const rest = LENGTH + 2.5 * Math.sqrt(source.links + target.links);
  const force = ((far - rest) * 0.11) / Math.sqrt(Math.min(source.links, target.links) || 1);
  source.fx += (dx / far) * force;
  source.fy += (dy / far) * force;
  target.fx -= (dx / far) * force;
  target.fy -= (dy / far) * force;
}
