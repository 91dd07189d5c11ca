import { join } from 'node:path';
import { command, PROJECT } from '../../command.ts';
import { count, plain, styled } from '../../output.ts';
import { sourceFiles, textOf } from './files.ts';
import { asGitHub, asSarif, ruleOf } from './formats.ts';
import { knownFlags } from './known-flags.ts';
import { type Reference, referencesIn } from './references.ts';

type Result = { files: number; references: Reference[]; unreferenced: string[] };

const AT_A_TIME = 32;

export const scan = command({
  name: 'scan',
  brief: 'Find flags in source code: unknown, stale and archived ones, with file and line',
  description:
    'It looks for whole strings that are the name of a flag, and for calls to SDK functions with a name that no flag has. It does not find names that are built from parts. In a Git repository, it reads the files that Git does not ignore. The code stays on your machine; the server is asked only for the names of its flags.',
  args: { folder: { brief: 'Folder with the sources. Default: the current one', optional: true } },
  options: {
    project: PROJECT,
    format: {
      type: 'choice',
      choices: ['text', 'sarif', 'github'],
      brief: 'sarif for code scanning, github for workflow annotations',
    },
    ci: {
      type: 'flag',
      brief: 'Exit with 10 if the code uses an unknown or archived flag; on GitHub, print annotations',
    },
  },
  checks: true,
  calls: ['searchFeatures'],
  output: {
    type: 'object',
    required: ['files', 'references', 'unreferenced'],
    properties: {
      files: { type: 'integer', description: 'Number of files that were read' },
      references: {
        type: 'array',
        items: {
          type: 'object',
          required: ['flag', 'state', 'file', 'line', 'column', 'text'],
          properties: {
            flag: { type: 'string' },
            state: { enum: ['active', 'stale', 'archived', 'unknown'] },
            file: { type: 'string' },
            line: { type: 'integer' },
            column: { type: 'integer' },
            text: { type: 'string', description: 'The line' },
          },
        },
      },
      unreferenced: {
        type: 'array',
        items: { type: 'string' },
        description: 'Flags that are not archived and not in the code',
      },
    },
  },
  examples: [
    { does: 'What can be removed?', run: 'scan src --project payments' },
    { does: 'In a pipeline', run: 'scan --ci' },
    { does: 'For code scanning', run: 'scan --format sarif > halyard.sarif' },
  ],
  run: async (context, { folder = '.' }, { project, format, ci }): Promise<Result | string> => {
    const known = await knownFlags(context, context.projectIfSet(project));
    const files = await sourceFiles(folder);
    const references: Reference[] = [];
    let read = 0;
    for (let n = 0; n < files.length; n += AT_A_TIME) {
      context.signal.throwIfAborted();
      const some = files.slice(n, n + AT_A_TIME);
      const texts = await Promise.all(some.map(file => textOf(join(folder, file))));
      for (const [k, text] of texts.entries()) {
        if (text === undefined) continue;
        read++;
        references.push(...referencesIn(text, some[k] ?? '', known));
      }
    }
    const findings = references.filter(one => ruleOf(one));
    if (ci && findings.some(one => ruleOf(one)?.level === 'error')) context.failCheck();
    if (format === 'sarif') return JSON.stringify(asSarif(findings), null, 2);
    if (format === 'github' || (ci && format === undefined && context.env.GITHUB_ACTIONS === 'true'))
      return asGitHub(findings);
    const used = new Set(references.map(({ flag }) => flag));
    const unreferenced = [...known].flatMap(([name, state]) =>
      state !== 'archived' && !used.has(name) ? [name] : [],
    );
    return { files: read, references, unreferenced: unreferenced.toSorted() };
  },
  text: (result, context) => {
    if (typeof result === 'string') return result;
    const { files, references, unreferenced } = result;
    const lines = references.flatMap(one => {
      const rule = ruleOf(one);
      if (!rule) return [];
      const level = styled(context, rule.level === 'error' ? 'red' : 'yellow', rule.level);
      return [
        `${plain(one.file)}:${one.line}:${one.column}  ${level}  ${plain(rule.says(one.flag))}`,
        `    ${plain(one.text)}`,
      ];
    });
    const sum = `${count(references.length, 'reference')} to flags in ${count(files, 'file')}. ${count(unreferenced.length, 'flag is', 'flags are')} not in this code.`;
    return [...lines, ...(lines.length > 0 ? [''] : []), sum].join('\n');
  },
});
