/** `npm start`: a scripted session, judged by demo.yaml through the real engine, as a timeline of 80 columns. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shortStep } from '../cli/scenario/step.ts';
import { findInWorld } from '../cli/scenario/world.ts';
import { paintFor } from '../cli/terminal.ts';
import { converge } from '../engine/judge/converge.ts';
import type { Verdict } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { loadProject } from '../engine/plan/compile.ts';
import { printProblem } from '../engine/report/frame.ts';
import { EMPTY_STATE } from '../engine/state/state.ts';
import { decode } from '../hooks/hosts/claude-code.ts';

/** What happens, in the words of policy tests. */
const SESSION: readonly (readonly [scene: string, steps: readonly string[]])[] = [
  ['The main agent reads. Two files are enough, then it should delegate.', [
    'UserPromptSubmit Fix the login error.',
    'Read src/login.ts',
    'Read src/session.ts',
    'Read src/token.ts',
  ]],
  ['It delegates. The rules are for the main agent; the subagent is free.', [
    'Agent planner',
    'by planner Read src/token.ts',
    'by planner Read src/cookie.ts',
    'by planner Read test/login.test.ts',
    'SubagentStop planner saying The plan is in docs/plan.md.',
  ]],
  ['The plan is made, so a developer comes next, not a reviewer.', [
    'Agent reviewer',
    'Agent developer',
    'SubagentStop developer saying The error is fixed.',
  ]],
  ['Alone for three calls: advice. A command hidden in a line: refused.', [
    'Bash git status',
    'Bash git diff',
    'Bash npm test',
    'Bash npm test && git push --force',
  ]],
  ['It wants to stop. It may, once it has said so on purpose.', [
    'Stop saying Done.',
    'Stop saying Done, with a test. ACK-7Q2M',
  ]],
];

const WIDTH = 80;
const INDENT = ' '.repeat(13);
const here = dirname(fileURLToPath(import.meta.url));
const paint = paintFor(process.stdout);

const loaded = loadProject(here, process.env, join(here, 'demo.yaml'));
if (loaded.core === undefined) {
  console.log(loaded.problems.map((problem) => printProblem(problem, loaded.texts, paint)).join('\n\n'));
  process.exit(2);
}
const plan = buildPlan(loaded.core);
/** No files and no programs: the rules of the demo ask for none. */
const findOutside = findInWorld({ files: new Map(), programs: new Map() });
let state = EMPTY_STATE;
let number = 0;

console.log(`A session of a coding agent under the ${plan.rules.length} rules of examples/demo.yaml.`);
for (const [scene, steps] of SESSION) {
  console.log(`\n${paint.strong(scene)}\n`);
  for (const step of steps) {
    const verdict = judge(step);
    console.log(line(step, verdict));
    for (const text of wrap(verdict.text, WIDTH - INDENT.length)) console.log(`${INDENT}${text}`);
  }
}
console.log('\nNext: examples/ holds eight small policies to copy, each with its tests.');
console.log('README.md goes from an empty folder to a first rule, denial and test.');

function judge(text: string): Verdict {
  const step = shortStep(text);
  if ('fault' in step) throw new Error(step.fault);
  const payload = { session_id: 'demo', cwd: here, ...step.payload };
  const event = decode(JSON.stringify(payload), { now: 1000 * number++, random: '7Q2M', env: {}, project: here, cwd: here });
  const result = converge(plan, state, event, findOutside);
  ({ state } = result);
  return result.verdict;
}

/** ` 4  DENY    Read src/token.ts                     two-reads-then-delegate` */
function line(step: string, { decision, findings }: Verdict): string {
  const word = decision === 'none' ? 'allow' : decision.toUpperCase();
  const colour = decision === 'none' ? paint.good : decision === 'deny' ? paint.bad : paint.warn;
  const rules = findings.filter((finding) => finding.heard).map((finding) => finding.rule).join(', ');
  const what = step.replace(/^by (\S+) /, '  $1: ').replace(/ saying (.+)$/, ' "$1"').replace(/^(UserPromptSubmit) (.+)$/, '$1 "$2"');
  const width = WIDTH - INDENT.length - (rules === '' ? 0 : rules.length + 1);
  const shown = what.length > width ? `${what.slice(0, width - 1)}…` : what.padEnd(width);
  return `${String(number).padStart(3)}  ${colour(word.padEnd(8))}${shown} ${paint.dim(rules)}`.trimEnd();
}

function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    for (const word of paragraph.split(' ').filter((each) => each !== '')) {
      const last = lines.at(-1);
      if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
      else lines[lines.length - 1] = `${last} ${word}`;
    }
    return lines;
  });
}
