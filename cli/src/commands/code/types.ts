import { readFile, writeFile } from 'node:fs/promises';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { failure, usageError } from '../../errors.ts';
import { formatCount } from '../../output.ts';
import { getData } from '../../requests.ts';
import { formatManifest, formatTypeScript, toTypedFlag } from './typescript.ts';

export const types = command({
  name: 'types',
  brief: 'Write the names of flags and variants as TypeScript, or as an OpenFeature manifest',
  description:
    'With the types, a misspelled or deleted flag does not compile, and editors strike through stale flags. With --out, it writes the file only if it changed. With --check, it writes nothing and fails if the file is outdated.',
  options: {
    project: {
      type: 'string',
      value: 'id',
      short: 'p',
      many: true,
      brief: "Project; can be repeated. Default: HALYARD_PROJECT, the profile's project, or all",
      complete: 'projects',
    },
    format: {
      type: 'choice',
      choices: ['typescript', 'openfeature'],
      default: 'typescript',
      brief: 'openfeature for generators such as the OpenFeature CLI',
    },
    out: { type: 'string', value: 'file', brief: 'File to write. Default: standard output' },
    check: { type: 'flag', brief: 'Exit with 10 if the file differs, and write nothing' },
  },
  raw: true,
  checks: true,
  calls: ['getProjects', 'getFeatures'],
  output: { type: 'string', description: 'The file, or a sentence about it with --out' },
  examples: [
    { does: 'Write a file', run: 'types --project payments --out src/flags.ts' },
    {
      does: 'In a pipeline: is the file up to date?',
      run: 'types --project payments --out src/flags.ts --check',
    },
    {
      does: 'Generate code for Go with the OpenFeature CLI',
      run: 'types --format openfeature --out flags.json && openfeature generate go',
    },
  ],
  run: async (context, _args, { project, format, out, check }) => {
    if (check && out === undefined)
      throw usageError('--check requires --out.', 'Use --out <file> to name the file to compare.');
    const projects = await findProjects(context, project ?? []);
    const lists = [];
    for (const projectId of projects)
      lists.push(
        await getData(
          context.read.GET('/api/admin/projects/{projectId}/features', { params: { path: { projectId } } }),
        ),
      );
    const flags = lists
      .flatMap(list => list.features.map(toTypedFlag))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const text =
      format === 'openfeature' ? formatManifest(flags) : formatTypeScript(flags, context.connection().server);
    if (out === undefined) return text.trimEnd();
    const currentText = await readFile(out, 'utf8').catch(() => undefined);
    if (currentText === text) return `${out} is up to date with ${formatCount(flags.length, 'flag')}.`;
    if (check) {
      context.failCheck();
      return `${out} is outdated. Run halyard types --out ${out} to write it.`;
    }
    await writeFile(out, text).catch((error: Error) => {
      throw failure(`Cannot write ${out}: ${error.message}`);
    });
    return `Wrote ${out} with ${formatCount(flags.length, 'flag')}.`;
  },
  text: text => text,
});

async function findProjects(context: Context, projectOptions: string[]): Promise<string[]> {
  const projectIds =
    projectOptions.length > 0
      ? projectOptions
      : [context.projectIfSet(undefined)].filter(id => id !== undefined);
  if (projectIds.length > 0) return projectIds;
  const { projects } = await getData(context.read.GET('/api/admin/projects'));
  return projects.map(({ id }) => id);
}
