/** A machine of phases → a picture: text for a terminal, Mermaid, SVG. */
import type { Form, Row } from '../model.ts';

type Machine = Extract<Form, { readonly kind: 'phase' }>;
interface Way {
  readonly from: string;
  readonly to: string;
  readonly agents: readonly string[];
}

function ways(machine: Machine): readonly Way[] {
  return Object.entries(machine.phases).flatMap(([from, rows]) => merged(rows.flatMap((row) => targets(row, from).map((to) => ({ from, to, agents: row.agents })))));
}

function targets({ to }: Row, from: string): readonly string[] {
  return to === 'stay' ? [from] : 'phase' in to ? [to.phase] : Object.values(to.byEvent);
}

/** Rows that lead to one phase are one way. */
function merged(all: readonly Way[]): readonly Way[] {
  const byTarget = new Map<string, Way>();
  for (const way of all) {
    const other = byTarget.get(way.to);
    byTarget.set(way.to, other === undefined ? way : { ...way, agents: [...other.agents, ...way.agents] });
  }
  return [...byTarget.values()];
}

export function drawText(rule: string, machine: Machine, present: string): string {
  const width = Math.max(...Object.keys(machine.phases).map((name) => name.length));
  const lines = Object.keys(machine.phases).flatMap((name) => {
    const mark = name === present ? '●' : '○';
    const out = ways(machine).filter((way) => way.from === name);
    const rows = out.map((way) => `${way.to === name ? '↺'.padEnd(width + 2) : `→ ${way.to.padEnd(width)}`}  ${way.agents.join(', ')}`);
    const head = `  ${mark} ${name.padEnd(width)}  `;
    return rows.length === 0 ? [`${head}(no way on)`] : rows.map((row, index) => (index === 0 ? head : ' '.repeat(head.length)) + row);
  });
  return [`${rule}: ${present}`, '', ...lines].join('\n');
}

export function mermaid(machine: Machine, present: string): string {
  const lines = ways(machine).map((way) => `    ${id(way.from)} --> ${id(way.to)}: ${way.agents.join(', ').replaceAll(/[;:{}]/g, ' ')}`);
  const names = Object.keys(machine.phases).map((name) => `    state "${name}" as ${id(name)}`);
  return ['stateDiagram-v2', ...names, `    [*] --> ${id(machine.start)}`, ...lines, `    classDef present fill:#2f6f4f,color:#fff`, `    class ${id(present)} present`, ''].join('\n');
}

function id(name: string): string {
  return name.replaceAll(/\W/g, '_');
}

const BOX = { width: 200, height: 44, gap: 56, left: 300 } as const;
const WIDTH = 960;

/** Phases from top to bottom; those who stay at the right, ways that skip or go back in arcs at the left. */
export function svg(rule: string, machine: Machine, present: string): string {
  const names = Object.keys(machine.phases);
  const top = (name: string): number => 64 + names.indexOf(name) * (BOX.height + BOX.gap);
  const height = 64 + names.length * (BOX.height + BOX.gap);
  const boxes = names.map((name) => {
    const now = name === present;
    return `<rect x="${BOX.left}" y="${top(name)}" width="${BOX.width}" height="${BOX.height}" rx="8" fill="${now ? '#2f6f4f' : '#ffffff'}" stroke="#5b6b63"/><text x="${BOX.left + BOX.width / 2}" y="${top(name) + 27}" text-anchor="middle" fill="${now ? '#ffffff' : '#1d2421'}">${escape(name)}</text>`;
  });
  const arrows = ways(machine).map((way, index) => arrow(way, top, names, index));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="14">`,
    '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="#5b6b63"/></marker></defs>',
    `<rect width="${WIDTH}" height="${height}" fill="#f6f8f7"/>`,
    `<text x="24" y="32" font-size="16" font-weight="600" fill="#1d2421">${escape(rule)}: ${escape(present)}</text>`,
    ...arrows.map((each) => each.path),
    ...arrows.map((each) => each.label),
    ...boxes,
    '</svg>',
    '',
  ].join('\n');
}

interface Drawn {
  readonly path: string;
  readonly label: string;
}

function arrow({ from, to, agents }: Way, top: (name: string) => number, names: readonly string[], index: number): Drawn {
  const label = escape(agents.join(', ').slice(0, 60));
  const right = BOX.left + BOX.width;
  const line = (path: string, x: number, y: number, anchor: string): Drawn => ({
    path: `<path d="${path}" fill="none" stroke="#5b6b63" marker-end="url(#a)"/>`,
    // A halo keeps it readable where it crosses a line.
    label: `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="12" fill="#3a4540" stroke="#f6f8f7" stroke-width="4" paint-order="stroke">${label}</text>`,
  });
  if (from === to) {
    const y = top(from) + BOX.height / 2;
    return line(`M${right} ${y - 8} C${right + 46} ${y - 22} ${right + 46} ${y + 22} ${right} ${y + 8}`, right + 44, y + 4, 'start');
  }
  if (names.indexOf(to) === names.indexOf(from) + 1) {
    const x = BOX.left + BOX.width / 2;
    return line(`M${x} ${top(from) + BOX.height} L${x} ${top(to) - 2}`, x + 10, top(from) + BOX.height + BOX.gap / 2 + 4, 'start');
  }
  const out = BOX.left - 70 - (index % 3) * 45;
  const [a, b] = [top(from) + BOX.height / 2, top(to) + BOX.height / 2];
  const third = a + (b - a) / 3;
  return line(`M${BOX.left} ${a} C${out} ${a} ${out} ${b} ${BOX.left - 2} ${b}`, (BOX.left + 2 * out) / 3 - 4, third, 'end');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
