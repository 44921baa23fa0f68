/** Facts that only the outside can tell: files, globs, programs. Asked for here, answered by the edge. */
import type { Fact, Form, Json, Need } from '../model.ts';
import type { Cost } from './answer.ts';
import { fillEach } from './fill.ts';
import type { Known } from './holds.ts';
import { failed, know, known, knownList, type Asker, type Knowledge } from './know.ts';
import { absolute, shown } from './paths.ts';

type OutsideForm = Extract<Form, { readonly kind: 'text' | 'json' | 'exists' | 'run' }>;

export function outside(knowledge: Knowledge, fact: Fact, form: OutsideForm, asker: Asker): Known {
  const { event, plan, needs } = knowledge;
  const trusted = plan.homes[fact.home]?.trusted ?? false;
  if (form.kind === 'run' && !trusted) return untrusted(fact);

  const texts = form.kind === 'run' ? form.command : form.kind === 'exists' ? form.globs : form.paths;
  const filled: string[] = [];
  for (const text of texts) {
    const values = fillText(knowledge, text, asker, form.kind === 'exists');
    if ('is' in values) return values;
    filled.push(...values);
  }
  const need = needOf(form, form.kind === 'run' ? filled : filled.map((path) => absolute(path, event.project, event.home)));
  if (form.kind !== 'run' && !trusted && filled.some((path) => shown(absolute(path, event.project, event.home), [event.project]).startsWith('/'))) return untrusted(fact);
  if (filled.length === 0) return known('else' in form ? form.else : []);

  const answer = event.outside[need.key];
  const cost: Cost = form.kind === 'run' ? 2 : 1;
  if (answer === undefined) {
    if (asker.cost < cost) return { is: 'unknown', cause: { kind: 'later', cost } };
    needs.set(need.key, need);
    return { is: 'unknown', cause: { kind: 'pending' } };
  }
  if ('error' in answer) return failed(fact.name, answer.error);
  if (form.kind === 'exists') return knownList(answer.value, 'path');
  if (answer.value !== null || form.kind === 'run') return present(form, answer.value);
  return form.else === undefined ? known([]) : known(form.else);
}

/** White space around a file's text is no part of it. A file that exists but is empty is an empty text, and still there. */
function present(form: OutsideForm, value: Json): Known {
  return form.kind === 'text' ? { is: 'known', sort: 'word', values: [String(value).trim()] } : known(value);
}

function untrusted(fact: Fact): Known {
  return failed(fact.name, 'its policy is not trusted; a person runs `bylaw trust`');
}

function fillText(knowledge: Knowledge, text: string, asker: Asker, escaped: boolean): readonly string[] | Extract<Known, { is: 'unknown' }> {
  let unknown: Extract<Known, { is: 'unknown' }> | undefined;
  const look = (name: string): readonly Json[] => {
    const value = know(knowledge, name, asker);
    if (value.is === 'known') return value.values;
    unknown = value;
    return [];
  };
  const values = fillEach(text, look, escaped ? (inserted) => inserted.replace(/[*?[\](){}\\!]/g, '\\$&') : (inserted) => inserted);
  return unknown ?? values;
}

function needOf(form: OutsideForm, texts: readonly string[]): Need {
  const key = `${form.kind}:${form.kind === 'exists' && form.older !== undefined ? `${form.older}:` : ''}${texts.join('\u0000')}`;
  if (form.kind === 'run') return { key, kind: 'run', command: texts, timeout: form.timeout };
  if (form.kind === 'exists') return { key, kind: 'exists', globs: texts, ...(form.older === undefined ? {} : { olderThan: form.older }) };
  return { key, kind: form.kind, paths: texts };
}
