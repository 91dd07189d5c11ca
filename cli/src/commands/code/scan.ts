import { join } from 'node:path';
import { command, PROJECT } from '../../command.ts';
import { applyStyle, formatCount, sanitize } from '../../output.ts';
import { listSourceFiles, readText } from './files.ts';
import { findRule, formatGitHub, formatSarif } from './formats.ts';
import { readFlagStates } from './known-flags.ts';
import { findReferences, type Reference } from './references.ts';

type ScanResult = { files: number; references: Reference[]; unreferenced: string[] };

const CONCURRENCY = 32;

export const scan = command({
  name: 'scan',
  brief: 'Find unknown, stale and archived flags in source code, with file and line',
  description:
    'It looks for whole strings that are flag names, and for SDK calls with a flag name that does not exist. It does not find names that are assembled at run time. In a Git repository, it reads the files that Git does not ignore. The code stays on your machine; only the names of the flags are read from the server.',
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
  run: async (context, { folder = '.' }, { project, format, ci }): Promise<ScanResult | string> => {
    const flagStates = await readFlagStates(context, context.projectIfSet(project));
    // The paths are relative to the folder where the command runs, so that editors and GitHub find the files.
    const files = (await listSourceFiles(folder)).map(file => join(folder, file));
    const references: Reference[] = [];
    let readCount = 0;
    for (let start = 0; start < files.length; start += CONCURRENCY) {
      context.signal.throwIfAborted();
      const batch = files.slice(start, start + CONCURRENCY);
      const texts = await Promise.all(batch.map(readText));
      for (const [index, text] of texts.entries()) {
        if (text === undefined) continue;
        readCount++;
        references.push(...findReferences(text, batch[index] ?? '', flagStates));
      }
    }
    const findings = references.filter(reference => findRule(reference));
    if (ci && findings.some(finding => findRule(finding)?.level === 'error')) context.failCheck();
    if (format === 'sarif') return JSON.stringify(formatSarif(findings), null, 2);
    if (format === 'github' || (ci && format === undefined && context.env.GITHUB_ACTIONS === 'true'))
      return formatGitHub(findings);
    const usedFlags = new Set(references.map(({ flag }) => flag));
    const unreferenced = [...flagStates].flatMap(([name, state]) =>
      state !== 'archived' && !usedFlags.has(name) ? [name] : [],
    );
    return { files: readCount, references, unreferenced: unreferenced.toSorted() };
  },
  text: (result, context) => {
    if (typeof result === 'string') return result;
    const { files, references, unreferenced } = result;
    const lines = references.flatMap(reference => {
      const rule = findRule(reference);
      if (!rule) return [];
      const level = applyStyle(context, rule.level === 'error' ? 'red' : 'yellow', rule.level);
      return [
        `${sanitize(reference.file)}:${reference.line}:${reference.column}  ${level}  ${sanitize(rule.says(reference.flag))}`,
        `    ${sanitize(reference.text)}`,
      ];
    });
    const summary = `${formatCount(references.length, 'reference')} to flags in ${formatCount(files, 'file')}. ${formatCount(unreferenced.length, 'flag is', 'flags are')} not in this code.`;
    return [...lines, ...(lines.length > 0 ? [''] : []), summary].join('\n');
  },
});
