/** YAML text → a tree of nodes. Tame YAML only: no anchors, aliases, tags or merge keys; every warning is an error. */
import { isAlias, isCollection, isMap, isNode, isScalar, isSeq, Lexer, parseAllDocuments, stringify, type Document, type Node as YamlNode, type Pair, type YAMLError } from 'yaml';
import type { Json, Problem, Span } from '../model.ts';
import type { Code } from '../report/codes.ts';
import type { Entry, MapNode, Node } from './node.ts';

const MAX_DEPTH = 64;
/** Of one file; a broken one would otherwise fill the screen. */
const MAX_PROBLEMS = 20;
const LONGEST_TAG = 200;

export interface Parsed {
  readonly root?: MapNode;
  readonly problems: readonly Problem[];
}

export function parse(file: string, text: string): Parsed {
  const problems: Problem[] = [];
  const report: Report = (code, start, end, message, help, also) => {
    problems.push({ code, severity: 'error', at: { file, start, end: Math.max(end, start + 1) }, message, ...(help === undefined ? {} : { help }), ...(also === undefined ? {} : { also }) });
  };
  const documents = read(text, report);
  const [document] = documents;
  if (document === undefined || document.contents === null) {
    if (problems.length === 0 && (document?.errors.length ?? 0) === 0) report('empty-file', 0, 0, 'the file is empty', 'begin with `bylaw: 1`');
  }
  for (const error of documents.flatMap((each) => [...each.errors, ...each.warnings])) explain(error, text, report);
  const second = documents[1];
  if (second !== undefined) report('several-documents', second.range[0], second.range[0] + 3, 'a second document begins here', 'put it into a file of its own');
  if (document === undefined || document.contents === null) return { problems };
  const root = convert(document.contents, { file, text, report, anchors: new Set(Array.from(text.matchAll(/&([^\s,\]}]+)/g), ([, name = '']) => name)), depth: 0 });
  if (root.kind !== 'map') {
    if (problems.length === 0) report('not-a-map', root.at.start, Math.min(root.at.end, root.at.start + 1), `a policy is a map, this is a ${root.kind === 'list' ? 'list' : 'single value'}`, 'begin with `bylaw: 1`');
    return { problems };
  }
  return { root, problems: firstOfEach(problems) };
}

/** A value as YAML: texts as they are best read, everything else on one line. */
export function toYaml(value: Json): string {
  return stringify(value, { collectionStyle: typeof value === 'object' && value !== null ? 'flow' : 'any', lineWidth: 0 }).trimEnd();
}

type Report = (code: Code, start: number, end: number, message: string, help?: string, also?: Problem['also']) => void;

function read(text: string, report: Report): readonly Document.Parsed[] {
  const deep = tooDeep(text);
  if (deep !== undefined) {
    report('too-deep', deep, deep + 1, `nested more than ${MAX_DEPTH} levels deep`, 'a bracket may be missing its end');
    return [];
  }
  try {
    const documents = parseAllDocuments(text, { prettyErrors: false, strict: true, uniqueKeys: true, merge: false, logLevel: 'silent' });
    return 'empty' in documents ? [] : documents;
  } catch (error) {
    // The composer recurses; only absurd nesting gets here.
    if (!(error instanceof RangeError)) throw error;
    report('too-deep', 0, 0, 'the file is nested too deeply to be read');
    return [];
  }
}

/** Where the text is nested too deeply, found without recursion: the parser itself would run out of stack. */
function tooDeep(text: string): number | undefined {
  let offset = 0;
  let flow = 0;
  let dashes = 0;
  let indents: number[] = [];
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') flow++;
    else if (token === ']' || token === '}') flow--;
    else if (token === '-' || token === '?') dashes++;
    else if (token.startsWith('\n') || token === '\r\n') {
      dashes = 0;
      const indent = /^ */.exec(text.slice(offset + token.length, offset + token.length + 1000))?.[0].length ?? 0;
      indents = [...indents.filter((each) => each < indent), indent];
    }
    if (flow + dashes + indents.length > MAX_DEPTH) return offset;
    if (!/^[\x02\x18\x1f]/.test(token)) offset += token.length;
  }
  return undefined;
}

interface Place {
  readonly file: string;
  readonly text: string;
  readonly report: Report;
  readonly anchors: ReadonlySet<string>;
  readonly depth: number;
}

function convert(node: YamlNode, place: Place): Node {
  const { file, text, report } = place;
  const at = spanOf(node, file);
  const nothing: Node = { kind: 'scalar', value: null, at };
  if (place.depth > MAX_DEPTH) {
    report('too-deep', at.start, at.start + 1, `nested more than ${MAX_DEPTH} levels deep`);
    return nothing;
  }
  if (isAlias(node)) {
    const word = lineRest(text, at.start).replace(/:$/, '');
    // An alias of nothing is a glob; one of an anchor is meant.
    if (!place.anchors.has(word.slice(1))) report('unquoted-glob', at.start, at.start + word.length, `\`${word}\` is read as a YAML alias`, `quote it: '${word}'`);
    else report('alias', at.start, at.end, `\`${word}\` is an alias`, 'write the value out, or use a list: `$name`');
    return nothing;
  }
  const tag = node.tag === undefined ? undefined : /!\S*\s*$/.exec(text.slice(Math.max(0, at.start - LONGEST_TAG), at.start))?.[0];
  if (tag !== undefined) report('unquoted-bang', at.start - tag.length, at.start - tag.length + tag.trimEnd().length, `\`${tag.trim()}\` is a YAML tag`, 'policies use no tags; remove it, or quote the text');
  if (node.anchor !== undefined) report('anchor', Math.max(0, at.start - node.anchor.length - 2), at.start, `\`&${node.anchor}\` is an anchor`, 'write the value where it is used, or use a list or `defaults`');
  const inner = { ...place, depth: place.depth + 1 };
  if (isMap(node)) return mapOf(node.items, node.flow === true, at, inner);
  if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => (isNode(item) ? convert(item, inner) : nothing)), at };
  if (!isScalar(node)) return nothing;
  const { value } = node;
  const cut = node.type === 'PLAIN' && typeof value === 'string' && typeof node.comment === 'string' && /^[^\n]*#/.test(text.slice(at.end, lineEnd(text, at.end)));
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null ? value : String(value);
  return { kind: 'scalar', value: plain, at, ...(cut ? { cut: true } : {}) };
}

function mapOf(pairs: readonly Pair[], flow: boolean, at: Span, place: Place): Node {
  const { file, text, report } = place;
  const only = pairs[0];
  if (flow && pairs.length === 1 && only !== undefined && isScalar(only.key) && only.value === null && !text.slice(at.start, at.end).includes(':')) {
    report('unquoted-placeholder', at.start, at.end, `\`${text.slice(at.start, at.end)}\` without quotes is a map, not a text`, `quote the text: '${text.slice(at.start, at.end)}'`);
    return { kind: 'scalar', value: null, at };
  }
  const found: Entry[] = [];
  for (const pair of pairs) {
    if (!isNode(pair.key)) continue;
    const keyAt = spanOf(pair.key, file);
    if (isCollection(pair.key) || isAlias(pair.key) || (isScalar(pair.key) && pair.key.value === null)) {
      const word = text.slice(keyAt.start, keyAt.end);
      if (isAlias(pair.key)) report('unquoted-glob', keyAt.start, keyAt.end, `\`${word}\` is read as a YAML alias`, `quote it: '${word}'`);
      else report('yaml-syntax', keyAt.start, keyAt.end, 'a key is a plain word here', 'quote it if it is meant as text');
      continue;
    }
    const key = isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : text.slice(keyAt.start, keyAt.end).replace(/^(['"])(.*)\1$/, '$2');
    if (key === '<<') report('merge-key', keyAt.start, keyAt.end, '`<<` is a merge key', 'use `defaults` or `extends`');
    const first = found.find((each) => each.key === key);
    if (first !== undefined) report('duplicate-key', keyAt.start, keyAt.end, `\`${key}\` stands twice`, 'rename one of them, or join them', { at: first.keyAt, note: 'first here' });
    const value: Node = isNode(pair.value) ? convert(pair.value, place) : { kind: 'scalar', value: null, at: keyAt };
    found.push({ key, keyAt, value });
  }
  return { kind: 'map', entries: found, at };
}

/** YAML's own complaint, in words that say what to type instead. */
function explain(error: YAMLError, text: string, report: Report): void {
  const [start, end] = error.pos;
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, lineEnd(text, start));
  const value = /^\s*(?:- )?[\w.$-]+:\s+(.*)$/.exec(line)?.[1] ?? '';
  const valueAt = text.lastIndexOf('\n', start - 1) + 1 + line.length - value.length;
  const whole = valueAt + value.length;
  switch (error.code) {
    case 'TAG_RESOLVE_FAILED': {
      const word = lineRest(text, start);
      if (/^!:?$/.test(word)) return report('unquoted-operator', start, start + 1, '`!` is read as a YAML tag and the key is lost', "quote the operator: '!'");
      return report('unquoted-bang', start, start + word.length, `\`${word}\` is read as a YAML tag, and its text is lost`, `quote it: '${word}'; for exceptions use \`unless\``);
    }
    case 'DUPLICATE_KEY':
      // Found again with both places when the map is converted.
      return;
    case 'BAD_ALIAS':
      // An alias that ends in a colon is reported where it is converted.
      if (text[start] !== '*') return;
      return report('unquoted-glob', start, end, '`*` is read as a YAML alias', "quote it: '*'");
    case 'BAD_DQ_ESCAPE':
      return report('bad-escape', start, start + 2, `\`${text.slice(start, start + 2)}\` is no escape of YAML`, "regexes go into single quotes: '^rm\\s'");
    case 'BLOCK_AS_IMPLICIT_KEY':
      return report('unquoted-colon', valueAt, whole, 'a plain text can not hold `: `', `quote the text: ${quoted(value)}`);
    case 'BAD_SCALAR_START':
      if (text[start] === '`') return report('unquoted-backtick', start, start + 1, 'a plain text can not start with a backtick', `quote the text: ${quoted(value)}`);
      if (/^[>|%@]/.test(text.slice(start))) return report('unquoted-operator', start, start + 1, `\`${text[start]}\` can not stand here without quotes`, `quote it: '${text[start]}'`);
      break;
    case 'UNEXPECTED_TOKEN':
      if (value.startsWith("'") && start > valueAt) return report('yaml-syntax', start, whole, 'the quoted text ends before this', "a quote inside single quotes is doubled: 'it''s'");
      if (value.startsWith('"') && start > valueAt) return report('yaml-syntax', start, whole, 'the quoted text ends before this', 'a quote inside double quotes is written `\\"`');
      if (/^\{[^}]*\}/.test(value)) return report('unquoted-brace', valueAt, whole, 'a text that starts with `{` is read as a map', `quote the text: ${quoted(value)}`);
      break;
    case 'TAB_AS_INDENT':
      return report('yaml-syntax', start, end, 'a tab can not indent', 'indent with spaces');
    case 'BAD_INDENT': {
      const indent = /^ */.exec(line)?.[0].length ?? 0;
      const from = text.lastIndexOf('\n', start - 1) + 1 + indent;
      if (start <= from && indent < line.length) return report('yaml-syntax', from, from + lineRest(text, from).length, 'this line is indented differently from those beside it', 'indent the keys of one map alike');
      break;
    }
    default:
  }
  const missing = /end with an? (.)$/.exec(error.message)?.[1];
  if (missing !== undefined) return report('yaml-syntax', start, end, `\`${missing}\` is missing before this`, 'end every list and map in brackets');
  const quote = /closing (['"])quote/.exec(error.message)?.[1];
  const opened = quote === undefined ? undefined : openedAt(text, quote, start);
  if (opened !== undefined) return report('yaml-syntax', opened, opened + 1, 'this quote is never closed', `end the text with ${quote}; inside single quotes a quote is written twice`);
  report('yaml-syntax', start, end, error.message.replace(/\s+at line \d+.*$/s, '').replace(/^./, (letter) => letter.toLowerCase()));
}

/** Where a text in quotes begins that has no end on its line: the last one before the parser gave up. */
function openedAt(text: string, quote: string, before: number): number | undefined {
  const begin = new RegExp(`(?:^|[:,\\[{-]\\s*)${quote}(?=(?:[^${quote}\\n]|${quote}${quote})*$)`, 'gm');
  return [...text.slice(0, before).matchAll(begin)].map((found) => found.index + found[0].length - 1)[0];
}

/** Mistakes with a name say more than the syntax errors they cause; after the first syntax error the others are mostly its echoes. */
function firstOfEach(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<number>();
  const named = problems.filter((problem) => problem.code !== 'yaml-syntax' && !seen.has(problem.at.start) && seen.add(problem.at.start));
  return named.length > 0 ? named.slice(0, MAX_PROBLEMS) : problems.slice(0, 1);
}

function quoted(value: string): string {
  return value.includes("'") ? JSON.stringify(value) : `'${value}'`;
}

function spanOf(node: YamlNode, file: string): Span {
  const [start = 0, end = start] = node.range ?? [];
  return { file, start, end };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function lineRest(text: string, start: number): string {
  return /^[^\s,}\]]+/.exec(text.slice(start))?.[0] ?? text.slice(start, start + 1);
}
