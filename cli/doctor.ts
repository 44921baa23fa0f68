/** `bylaw doctor`: does every rule of this project reach the client? Finds what is wrong, says why it matters and what mends it. */
import { plural } from '../engine/report/frame.ts';
import { checkClient } from './doctor/client.ts';
import { finding, FINDINGS, type Finding, type Severity } from './doctor/codes.ts';
import { isMendable, mend } from './doctor/fix.ts';
import { checkPlaces } from './doctor/places.ts';
import { checkPolicy } from './doctor/policy.ts';
import { checkRegistration, liveHandlers } from './doctor/registration.ts';
import { sceneOf, shownPath, type Scene } from './doctor/scene.ts';
import { checkServer } from './doctor/server.ts';
import { checkStart } from './doctor/start.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface DoctorOptions {
  readonly fix?: boolean;
  readonly json?: boolean;
}

interface Examined {
  readonly scene?: Scene;
  readonly findings: readonly Finding[];
}

const ORDER: readonly Severity[] = ['open', 'other', 'note'];

export async function doctor(options: DoctorOptions): Promise<void> {
  let examined = await examine();
  let done: readonly string[] = [];
  if (options.fix === true && examined.scene !== undefined) {
    done = await mend(examined.findings, examined.scene);
    if (done.length > 0) examined = await examine();
  }
  const { findings } = examined;
  if (options.json === true) print(JSON.stringify(asJson(examined, done), null, 2));
  else printText(examined, done, options.fix === true);
  if (findings.some(({ severity }) => severity === 'open')) throw new Exit(1);
}

async function examine(): Promise<Examined> {
  const scene = sceneOf(process.cwd(), process.env);
  if (scene === undefined) return { findings: [finding('no-policy', `there is no bylaw.yaml in ${process.cwd()} or above`, 'bylaw init')] };
  const later = await Promise.all([checkStart(scene), checkServer(scene), checkClient(scene)]);
  const all = [...checkPolicy(scene), ...checkRegistration(scene), ...later.flat(), ...checkPlaces(scene)];
  return { scene, findings: [...all].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)) };
}

function asJson({ scene, findings }: Examined, done: readonly string[]): unknown {
  return {
    ok: findings.every(({ severity }) => severity !== 'open'),
    project: scene?.project ?? null,
    registered: scene === undefined ? [] : liveHandlers(scene).map(({ where, file, event, handler }) => ({ where, file, event, type: handler['type'] })),
    findings,
    ...(done.length === 0 ? {} : { done }),
  };
}

// -- text

const WIDTH = 80;
const INDENT = '       ';

function printText({ scene, findings }: Examined, done: readonly string[], fixed: boolean): void {
  const paint = paintFor(process.stdout);
  const words: Readonly<Record<Severity, string>> = { open: paint.bad('open'), other: paint.warn('wrong'), note: paint.dim('note') };
  if (scene !== undefined) for (const line of summary(scene)) print(wrapped(line, '  '));
  if (done.length > 0) print('\ndone');
  for (const line of done) print(wrapped(`  ${line}`, '    '));
  for (const { code, severity, what, why, fix } of findings) {
    print(`\n${words[severity]}${' '.repeat(INDENT.length - (severity === 'other' ? 'wrong' : severity).length)}${code}`);
    print(wrapped(INDENT + what, INDENT));
    print(paint.dim(wrapped(INDENT + why, INDENT)));
    if (fix !== undefined) print(wrapped(`${INDENT}mend: ${fix}`, `${INDENT}      `));
  }
  print(`\n${ending(findings, fixed, paint)}`);
}

/** What is in force, in a line or two. */
function summary(scene: Scene): readonly string[] {
  const live = liveHandlers(scene);
  const files = [...new Set(live.map(({ file }) => file))].map((file) => `${shownPath(scene, file)} (${plural(live.filter((each) => each.file === file).length, 'event')}${live.some((each) => each.file === file && each.handler['type'] === 'http') ? ', http' : ''})`);
  return [`${scene.project}: ${plural(scene.plan?.rules.length ?? 0, 'rule')}`, `registered in ${files.join(' and ') || 'no settings file'}`];
}

function ending(findings: readonly Finding[], fixed: boolean, paint: ReturnType<typeof paintFor>): string {
  const count = (severity: Severity): number => findings.filter((each) => each.severity === severity).length;
  const hint = !fixed && findings.some(isMendable) ? ' · try bylaw doctor --fix' : '';
  const rest = count('other') > 0 ? ` · ${count('other')} more to mend` : '';
  if (count('open') > 0) return `${paint.bad('✗')} ${plural(count('open'), 'way')} for a denied call to get through${rest}${hint}`;
  if (count('other') > 0) return `${paint.warn('!')} the rules are kept · ${count('other')} to mend${hint}`;
  return findings.some(({ code }) => code === 'no-probe') ? `${paint.good('✓')} bylaw is registered and its hook starts` : `${paint.good('✓')} bylaw is registered, and what it says reaches the client`;
}

/** At most 80 columns; later lines begin with the indent. */
function wrapped(text: string, indent: string): string {
  const start = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  for (const word of text.trim().split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push((last === undefined ? start : indent) + word);
  }
  return lines.join('\n');
}

/** For `bylaw doctor --help`. */
export function codesHelp(): string {
  return `\nFindings (bylaw explain <code> says why each matters):\n${wrapped(`  ${Object.keys(FINDINGS).join(' ')}`, '  ')}`;
}
