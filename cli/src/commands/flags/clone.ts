import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import { wrongUse } from '../../errors.ts';
import { plain } from '../../output.ts';
import { data } from '../../requests.ts';
import { FLAG, IN_PROJECT, projectOf } from './find.ts';

const PARTS = ['strategies', 'variants', 'tags', 'dependencies'] as const;

export const flagsClone = command({
  name: 'flags clone',
  brief: 'Copy a flag under a new name, into the same or a different project',
  description:
    'The copy is disabled everywhere. With --dry-run, the server checks the copy and lists the obstacles.',
  args: { flag: FLAG, name: { brief: 'Name of the copy' } },
  options: {
    project: IN_PROJECT,
    into: {
      type: 'string',
      value: 'id',
      brief: 'Project of the copy. Default: the project of the flag',
      complete: 'projects',
    },
    without: {
      type: 'string',
      value: 'part',
      many: true,
      brief: `Leave out ${PARTS.join(', ')}; can be repeated`,
    },
    replaceGroupId: {
      type: 'flag',
      brief: 'Use the new name as the group id, so that rollouts select different users',
    },
  },
  writes: 'change',
  ownDryRun: true,
  calls: ['searchFeatures', 'cloneFeature'],
  output: 'CloneResult',
  examples: [
    { does: 'Copy a flag', run: 'flags clone checkout-v2 checkout-v3' },
    {
      does: 'Would a copy into a different project work?',
      run: 'flags clone checkout-v2 shop-checkout --into shop --dry-run',
    },
  ],
  run: async (context, { flag, name }, { project, into, without, replaceGroupId }) => {
    const unknown = (without ?? []).find(part => !PARTS.some(known => known === part));
    if (unknown !== undefined)
      throw wrongUse(`A flag has no part ${JSON.stringify(unknown)}. Use ${PARTS.join(', ')}.`);
    const left = PARTS.filter(part => !(without ?? []).includes(part));
    const path = { projectId: await projectOf(context, flag, project), featureName: flag };
    const body = {
      name,
      ...(into && { project: into }),
      ...(replaceGroupId && { replaceGroupId }),
      ...((without ?? []).length > 0 && { include: left }),
    };
    const clone = '/api/admin/projects/{projectId}/features/{featureName}/clone';
    // The server's own dry run shows more than the request would.
    if (context.given.dryRun)
      return await data(context.read.POST(clone, { params: { path, query: { dryRun: 'true' } }, body }));
    return await data(context.write.POST(clone, { params: { path }, body }));
  },
  text: result =>
    'planId' in result
      ? planText(result)
      : `Created flag "${result.name}" in project "${result.project}", disabled everywhere.`,
});

function planText({ planId, obstacles, permissions }: schemas['ClonePlan']): string {
  if (planId !== null) return 'Nothing was changed. The copy can be made.';
  const reasons = [
    ...obstacles.map(one => plain(one.message)),
    ...permissions
      .filter(one => !one.held)
      .map(one => `You lack ${one.permission}${one.environment ? ` in ${one.environment}` : ''}.`),
  ];
  return ['Nothing was changed. The copy cannot be made:', ...reasons.map(one => `  - ${one}`)].join('\n');
}
