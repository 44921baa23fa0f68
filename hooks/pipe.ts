/** Standard input and output by file number: the streams of `process` cost milliseconds to set up. */
import { readSync, writeSync } from 'node:fs';

const CHUNK = 65_536;

/** All of it; empty if there is none. */
export function readAll(file: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.allocUnsafe(CHUNK);
    const size = patiently(() => readSync(file, part, 0, CHUNK, null), 0);
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(part.subarray(0, size));
  }
}

/** A reader that went away is no error of ours. */
export function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const size = patiently(() => writeSync(file, bytes, at), 0);
    if (size === 0) return;
    at += size;
  }
}

/** A pipe may be set not to block; then it says EAGAIN while the other side is busy. */
function patiently(act: () => number, otherwise: number): number {
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return otherwise;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
