/** Lines for the person from a process without a terminal: a file that stays small. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Bytes; above that the file becomes the old one, and the one before is gone. */
const LARGEST = 262_144;
const LONGEST_LINE = 2_000;

export function openLog(file: string): (text: string) => void {
  let last = '';
  return (text) => {
    // A policy that stays broken is worth one line, not one for every event.
    if (text === last) return;
    last = text;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST) renameSync(file, `${file}.old`);
      appendFileSync(file, `${new Date().toISOString()} ${text.replace(/\s*\n\s*/g, ' ').slice(0, LONGEST_LINE)}\n`, { mode: 0o600 });
    } catch {
      // There is nobody left to tell.
    }
  };
}
