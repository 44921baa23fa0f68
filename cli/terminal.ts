/** How commands print: colours only on a terminal. */
import colors from 'picocolors';
import { PLAIN, type Paint } from '../engine/report/frame.ts';

export function paintFor(stream: NodeJS.WriteStream): Paint {
  if (!stream.isTTY || process.env['NO_COLOR'] !== undefined) return PLAIN;
  const { red, green, yellow, dim, bold } = colors.createColors(true);
  return { bad: red, good: green, warn: yellow, dim, strong: bold };
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function complain(text: string): void {
  process.stderr.write(`bylaw: ${text}\n`);
}

/** Ends a command with a message: 1 a finding, 2 wrong use or unusable policy. */
export class Exit extends Error {
  readonly code: 1 | 2;
  constructor(code: 1 | 2, message = '') {
    super(message);
    this.code = code;
  }
}
