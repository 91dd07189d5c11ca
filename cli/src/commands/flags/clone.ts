import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';
import { FLAG, findProject, IN_PROJECT } from './find.ts';

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
      brief: `Part to omit: ${PARTS.join(', ')}; can be repeated`,
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
    const unknownPart = (without ?? []).find(part => !PARTS.some(knownPart => knownPart === part));
    if (unknownPart !== undefined)
      throw usageError(`A flag has no part ${JSON.stringify(unknownPart)}. Use ${PARTS.join(', ')}.`);
    const includedParts = PARTS.filter(part => !(without ?? []).includes(part));
    const path = { projectId: await findProject(context, flag, project), featureName: flag };
    const body = {
      name,
      ...(into && { project: into }),
      ...(replaceGroupId && { replaceGroupId }),
      ...((without ?? []).length > 0 && { include: includedParts }),
    };
    const cloneUrl = '/api/admin/projects/{projectId}/features/{featureName}/clone';
    // Uses the server's own dry run, which shows more than the request would.
    if (context.sharedOptions.dryRun)
      return await getData(
        context.read.POST(cloneUrl, { params: { path, query: { dryRun: 'true' } }, body }),
      );
    return await getData(context.write.POST(cloneUrl, { params: { path }, body }));
  },
  text: result =>
    'planId' in result
      ? formatClonePlan(result)
      : `Created flag "${result.name}" in project "${result.project}", disabled everywhere.`,
});

function formatClonePlan({ planId, obstacles, permissions }: schemas['ClonePlan']): string {
  if (planId !== null) return 'Nothing was changed. The flag can be copied.';
  const reasons = [
    ...obstacles.map(obstacle => sanitize(obstacle.message)),
    ...permissions
      .filter(permission => !permission.held)
      .map(
        permission =>
          `You lack ${permission.permission}${permission.environment ? ` in ${permission.environment}` : ''}.`,
      ),
  ];
  return ['Nothing was changed. The flag cannot be copied:', ...reasons.map(reason => `  - ${reason}`)].join(
    '\n',
  );
}
