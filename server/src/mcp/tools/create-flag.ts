import { Type } from 'typebox';
import type { Feature } from '../../flags/features/schema.ts';
import { rejectInMaintenance } from '../../people/maintenance/reject-writes.ts';
import { runStoredOperations } from '../../record/operations/stored.ts';
import { buildFlagUrl } from '../flag-location.ts';
import { Arguments, Flag, Name, Project, Reason, rejectUnprintable } from '../inputs.ts';
import { quoteName } from '../sanitize.ts';
import { tool } from '../tool.ts';

export const createFlag = tool({
  name: 'create_flag',
  title: 'Create a flag',
  description:
    'Creates a flag that is disabled in every environment. Call find_flags first: the flag may already exist.',
  effect: 'adds',
  needs: ['CREATE_FEATURE'],
  input: Arguments({
    name: Flag,
    project: Project,
    type: Type.Optional(Name('release, experiment, operational, kill-switch or permission')),
    description: Type.Optional(Type.String({ maxLength: 1_000 })),
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: 101, pattern: '^[^:]+:.+$', description: 'type:value' }), {
        maxItems: 10,
      }),
    ),
    reason: Type.Optional(Reason('Recorded with the change; some projects require it')),
  }),
  run: async (call, { name, project, tags = [], reason, ...fields }) => {
    if (reason !== undefined) rejectUnprintable(reason);
    await rejectInMaintenance(call.db);
    const actor = { ...call.actor, ...(reason !== undefined && { comment: reason }) };
    const body = {
      name,
      ...fields,
      ...(tags.length > 0 && {
        tags: tags.map(tag => ({
          type: tag.slice(0, tag.indexOf(':')),
          value: tag.slice(tag.indexOf(':') + 1),
        })),
      }),
    };
    const [feature] = (await runStoredOperations(call.app, call.db, call.instance, actor, [
      { operation: 'createFeature', input: { params: { projectId: project }, body } },
    ])) as [Feature];
    return {
      flag: feature.name,
      project,
      type: feature.type,
      environments: feature.environments
        .slice(0, 20)
        .map(environment => ({ name: environment.name, enabled: environment.enabled })),
      url: buildFlagUrl(call, project, name),
    };
  },
  text: ({ flag, project, url }) => [
    `Created flag ${quoteName(flag)} in project ${quoteName(project)}, disabled everywhere`,
    url,
  ],
});
