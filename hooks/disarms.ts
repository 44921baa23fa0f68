/** What the settings on disk would take away from bylaw, as an outside fact. A file of its own, loaded at a change of settings only. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Event, Outside, Wanted } from '../engine/model.ts';
import { projectKey, stateFolder } from '../engine/state/places.ts';
import { armed, sourcesSeen, takenAway, type Armed, type Look } from './armed.ts';

/** No settings file is larger than this. */
const MAX_BYTES = 10_000_000;

export const DISK: Look = {
  platform: process.platform,
  read(file) {
    try {
      return readFileSync(file, 'utf8').slice(0, MAX_BYTES);
    } catch {
      // What we can't read the client can't read either.
      return undefined;
    }
  },
  list(folder) {
    try {
      return readdirSync(folder).sort();
    } catch {
      return [];
    }
  },
};

/** `remembers`: what is registered now is what a later change is compared with, unless this one took something away. */
export function findDisarms(wanted: Wanted, event: Event, { look = DISK, remembers = false }: { readonly look?: Look; readonly remembers?: boolean } = {}): Outside {
  try {
    const sources = sourcesSeen(hostFolder(event), event, look);
    const plugin = (event.env['CLAUDE_PLUGIN_ROOT'] ?? '') !== '';
    const now = armed(sources, hostFolder(event), plugin, look);
    const file = recordFile(event);
    const before = look === DISK ? readRecord(file) : undefined;
    const lost = takenAway(plugin ? { events: [], refusing: [] } : wanted, now, sources, before);
    if (lost.length === 0 && remembers) writeRecord(file, now);
    return { value: lost };
  } catch (error) {
    return { error: `the settings can not be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The folder that the client takes for its project: the settings lie there, and it may be below the one with bylaw.yaml. */
function hostFolder({ env, host, source, project }: Event): string {
  const changed = source === 'project_settings' || source === 'local_settings' ? /^(.+)[\\/]\.claude[\\/]settings(?:\.local)?\.json$/.exec(String(host['file_path'] ?? ''))?.[1] : undefined;
  return changed ?? (env['CLAUDE_PROJECT_DIR'] || project);
}

function recordFile({ env, project }: Event): string {
  return join(stateFolder({ ...process.env, ...env }), projectKey(project), 'registered.json');
}

function readRecord(file: string): Armed | undefined {
  try {
    const { off, events }: Partial<Armed> = Object(JSON.parse(readFileSync(file, 'utf8')));
    return Array.isArray(off) && typeof events === 'object' && events !== null ? { off, events } : undefined;
  } catch {
    return undefined;
  }
}

function writeRecord(file: string, now: Armed): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}.tmp`, JSON.stringify(now), { mode: 0o600 });
    renameSync(`${file}.${process.pid}.tmp`, file);
  } catch {
    // Without it the next change is judged more carefully, that is all.
  }
}
