/** Policies of any size, as the YAML text a person would write. */

/** One rule per tool: the index finds the one by its name. */
export function distinctTools(count: number): string {
  return policy(numbers(count), (number) => [`match: { tool: mcp__server${number}__call }`, 'deny: Not here.']);
}

/** One rule per path, all of them about the same tools. */
export function distinctPaths(count: number): string {
  return policy(numbers(count), (number) => [`match: { tool: [Edit, Write], path: src/part${number}/** }`, 'deny: Not here.']);
}

/** Rules as they are in real policies: tools, paths, commands, limits, streaks, events, roles. */
export function mixedRules(count: number): string {
  const kinds: readonly ((number: number) => readonly string[])[] = [
    (number) => [`match: { tool: mcp__server${number}__call }`, 'deny: Not here.'],
    (number) => [`match: { tool: [Edit, Write], path: src/part${number}/** }`, "advise: '{path} has an owner.'"],
    (number) => [`match: { runs: git push --option${number} }`, 'ask: Really?'],
    (number) => [`match: { tool: Read, path: src/part${number}/**, by: main }`, `limit: ${number}`, 'until: { tool: Agent }', "deny: 'This is read {count}.'"],
    (number) => [`match: { tool: Tool${number}, by: main }`, 'until: { tool: Agent }', "advise: { 2: 'Call {count}.', 8 and doubling: 'Call {count}!' }"],
    (number) => ['event: PostToolUse', `match: { tool: Edit, path: src/part${number}/** }`, 'advise: Run the tests of this part.'],
    (number) => ['event: SubagentStop', `match: { agent: agent-${number} }`, "advise: '{agent} is done.'"],
    (number) => [`match: { tool: Bash, command: '^make target${number}\\b' }`, `unless: { by: builder-${number} }`, 'deny: Only the builder makes this.'],
    (number) => ['event: UserPromptSubmit', `match: { prompt: 'ticket ${number}\\b' }`, 'advise: Read the ticket first.'],
    (number) => [`match: { tool: WebFetch, input.url: 'https://host${number}.example.com/*' }`, `unless: { env.ALLOW_${number}: '1' }`, 'deny: Not this host.'],
  ];
  return policy(numbers(count), (number) => kinds[number % kinds.length]!(number));
}

/** A policy of about so many lines: mixed rules, as many as fit. */
export function policyOfLines(lines: number): string {
  let count = 1;
  while (mixedRules(count + 1).split('\n').length <= lines) count++;
  return mixedRules(count);
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function policy(of: readonly number[], rule: (number: number) => readonly string[]): string {
  return ['bylaw: 1', 'level: strict', 'rules:', ...of.flatMap((number) => [`  rule-${number}:`, ...rule(number).map((line) => `    ${line}`)])].join('\n') + '\n';
}
