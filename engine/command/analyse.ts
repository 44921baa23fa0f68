/** Turns shell text into what it runs, what it touches and what cannot be known about it. */
import type { Analysis, Known } from './analysis.ts';
import { type Frame, limits, type Walk } from './frame.ts';
import { startScope } from './scope.ts';
import { walkText } from './script.ts';

export type { Access, Analysis, Known, Opaque, OpaqueReason, Run, Span, Word } from './analysis.ts';

/** Never throws: text that cannot be parsed or takes too much work ends as opaque, beside what was found before. */
export function analyse(text: string, known: Known = {}): Analysis {
  const walk: Walk = { text, runs: [], paths: [], opaque: [], written: new Map(), steps: 0 };
  if (text.length > limits.text || nests(text)) {
    return { runs: [], paths: [], opaque: [{ reason: 'budget', at: [0, text.length], text: text.slice(0, 200) }] };
  }
  const frame: Frame = { walk, scope: startScope(known), via: [], at: null, depth: 0, input: undefined };
  try {
    walkText(frame, text, null);
  } catch (error) {
    // Only a stack that ran out: what was found so far still counts, and the rest is unknown.
    if (!(error instanceof RangeError)) throw error;
    walk.opaque.push({ reason: 'budget', at: [0, text.length], text: '' });
  }
  return { runs: walk.runs, paths: walk.paths, opaque: walk.opaque };
}

/** Whether brackets nest deeper than parsing can do in linear time; counted before it starts, so quotes are not seen. */
function nests(text: string): boolean {
  let [depth, ticks, documents] = [0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === openParenthesis || code === openBrace) depth += 1;
    else if ((code === closeParenthesis || code === closeBrace) && depth > 0) depth -= 1;
    else if (code === backtick) ticks += 1;
    else if (code === less && text.charCodeAt(index + 1) === less) documents += 1;
    if (documents > limits.documents || depth > limits.nesting || ticks > limits.ticks) return true;
  }
  return false;
}

const [openParenthesis, closeParenthesis, openBrace, closeBrace, backtick, less] = [0x28, 0x29, 0x7b, 0x7d, 0x60, 0x3c];
