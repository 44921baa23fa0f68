/** A small world for scenarios: files, programs and a clock that only exist in the test. */
import { matchesGlob } from '../../engine/judge/match.ts';
import { shown } from '../../engine/judge/paths.ts';
import type { Event, Need, Outside } from '../../engine/model.ts';
import type { Look } from '../../hooks/armed.ts';
import { analyseCommand } from '../../hooks/command.ts';
import { findDisarms } from '../../hooks/disarms.ts';

export const PROJECT = '/project';
export const HOME = '/home/dev';

export interface File {
  readonly text?: string;
  /** Milliseconds since its last change. */
  readonly age?: number;
  /** A symlink to this path. */
  readonly link?: string;
}

export interface World {
  /** By absolute path. */
  readonly files: ReadonlyMap<string, File>;
  /** What programs print when they fail, by the beginning of the command; an empty text is success. */
  readonly programs: ReadonlyMap<string, string>;
}

export function findInWorld(world: World): (need: Need, event: Event) => Outside {
  return (need, event) => {
    switch (need.kind) {
      case 'command':
        return analyseCommand(need.text, event);
      case 'disarms':
        return findDisarms(need.wanted, event, { look: lookIn(world) });
      case 'real':
        return { value: follow(need.path, world) };
      case 'text':
      case 'json': {
        const path = need.paths.map((each) => follow(each, world)).find((each) => world.files.has(each));
        const text = path === undefined ? undefined : (world.files.get(path)?.text ?? '');
        if (text === undefined || need.kind === 'text') return { value: text ?? null };
        try {
          return { value: JSON.parse(text) };
        } catch {
          return { error: `${path} is not JSON` };
        }
      }
      case 'exists': {
        const there = [...world.files].filter(([, file]) => need.olderThan === undefined || (file.age ?? 0) > need.olderThan).flatMap(([path]) => withFolders(path));
        const found = need.globs.flatMap((glob) => there.filter((path) => matchesGlob(glob, path, 'path', false)));
        return { value: [...new Set(found)].map((path) => shown(path, [event.project])) };
      }
      case 'run': {
        const line = need.command.join(' ');
        const program = [...world.programs].filter(([start]) => line === start || line.startsWith(`${start} `)).sort((a, b) => b[0].length - a[0].length)[0];
        return program === undefined ? { error: `the program ${need.command[0] ?? ''} is not installed` } : { value: program[1] === '' ? null : program[1] };
      }
    }
  };
}

/** The host's settings are files of the world too. */
function lookIn(world: World): Look {
  return {
    platform: 'linux',
    read: (file) => {
      const path = follow(file, world);
      return world.files.has(path) ? (world.files.get(path)?.text ?? '') : undefined;
    },
    list: (folder) => [...world.files.keys()].flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])).filter((name) => !name.includes('/')).sort(),
  };
}

/** Symlinks on the way are resolved, a bounded number of times. */
function follow(path: string, world: World): string {
  let real = path;
  for (let times = 0; times < 16; times++) {
    const link = [...world.files].find(([from, file]) => file.link !== undefined && (real === from || real.startsWith(`${from}/`)));
    if (link?.[1].link === undefined) return real;
    real = link[1].link + real.slice(link[0].length);
  }
  return real;
}

function withFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/')).filter((each) => each !== '');
}
