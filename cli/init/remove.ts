/** What init did → the changes that undo it: exactly where nobody touched a file since, else only bylaw's own part. */
import { join } from 'node:path';
import { isReadable, LAUNCHER, parseSettings, registered } from '../../hooks/hosts/claude-settings.ts';
import { readSources } from '../../hooks/settings.ts';
import { Exit } from '../terminal.ts';
import { EXCLUDED, type Scope } from './add.ts';
import { digestOf, targetOf, textOf, type Change } from './changes.ts';
import { unregister, withoutToken } from './edit.ts';
import { isLauncher } from './launcher.ts';
import { readRecord, recordFile, type InitRecord, type Recorded } from './record.ts';

export interface Removal {
  readonly changes: readonly Change[];
  /** Made by init, to be removed if empty. */
  readonly folders: readonly string[];
  /** Records as they are afterwards; undefined: none. */
  readonly records: readonly { readonly file: string; readonly record: InitRecord | undefined }[];
  readonly notes: readonly string[];
}

export function planRemove(project: string, scope: Scope | undefined, env: NodeJS.ProcessEnv): Removal {
  const notes: string[] = [];
  const changes = new Map<string, Change>();
  const put = (change: Change | undefined): void => {
    if (change !== undefined && change.before !== change.after) changes.set(change.file, change);
  };
  const own = { file: recordFile(env, project), record: readRecord(recordFile(env, project)) };
  const user = { file: recordFile(env, undefined), record: readRecord(recordFile(env, undefined)) };
  const alsoUser = scope === 'user' || (scope === undefined && user.record.projects?.includes(project) === true);
  const others = (user.record.projects ?? []).filter((each) => each !== project);

  for (const each of own.record.files) put(undo(each, notes));
  if (alsoUser && others.length === 0) for (const each of user.record.files) put(undo(each, notes));
  if (alsoUser && others.length > 0) notes.push(`The hooks in your own settings stay: ${others.length} other ${others.length === 1 ? 'project uses' : 'projects use'} them (${others.join(', ')}).`);

  // What another machine's init wrote is in no record here.
  const wanted: readonly string[] = alsoUser && others.length === 0 ? ['project', 'local', 'user'] : ['project', 'local'];
  // The local settings of a main worktree are that one's.
  const sources = readSources(project, env).filter((source) => wanted.includes(source.scope) && (source.scope !== 'local' || source.file.startsWith(`${project}/`)));
  for (const { file, text, scope: where } of sources) {
    const target = targetOf(file);
    if (text === undefined || own.record.files.some((each) => each.file === target) || user.record.files.some((each) => each.file === target)) continue;
    if (!isReadable(parseSettings(text))) throw unreadable(file, text);
    put({ file: target, before: text, after: where === 'project' ? unregister(text) : withoutToken(unregister(text)) });
  }
  const launcher = targetOf(join(project, LAUNCHER));
  const text = textOf(launcher);
  if (text !== undefined && isLauncher(text)) put({ file: launcher, before: text, after: undefined });

  const still = registered(readSources(project, env)).find((each) => each.scope === 'managed' || (each.scope === 'user' && !alsoUser));
  if (still !== undefined) notes.push(`bylaw is also registered in ${still.file}${still.scope === 'user' ? ': bylaw init --remove --scope user' : ''}.`);
  return {
    // Settings first: nothing calls a launcher that is gone.
    changes: [...changes.values()].reverse(),
    folders: [...own.record.folders, ...(alsoUser && others.length === 0 ? user.record.folders : [])],
    records: [{ file: own.file, record: undefined }, ...(alsoUser ? [{ file: user.file, record: others.length === 0 ? undefined : { ...user.record, projects: others } }] : [])],
    notes,
  };
}

function undo({ file, before, after }: Recorded, notes: string[]): Change | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  const original = before ?? undefined;
  if (digestOf(text) === after) return { file, before: text, after: original };
  if (file.endsWith('.json')) return undoSettings(file, text, original);
  if (file.endsWith('exclude')) return { file, before: text, after: text.replace(EXCLUDED, '') };
  if (isLauncher(text)) return { file, before: text, after: undefined };
  notes.push(`${file} was changed since, and stays.`);
  return undefined;
}

/** People changed it since: only our part goes. A file that init made and that is empty then goes too. */
function undoSettings(file: string, text: string, original: string | undefined): Change {
  if (!isReadable(parseSettings(text))) throw unreadable(file, text);
  const left = withoutToken(unregister(text));
  return { file, before: text, after: original === undefined && left.replace(/\s/g, '') === '{}' ? undefined : left };
}

function unreadable(file: string, text: string): Exit {
  const reading = parseSettings(text);
  const why = isReadable(reading) ? '' : `:${reading.at.line}:${reading.at.column}  ${reading.fault}`;
  return new Exit(2, `${file}${why}; nothing was changed. Mend it first`);
}
