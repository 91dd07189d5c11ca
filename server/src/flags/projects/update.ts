import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import { outOfScope } from '../../access/scope.ts';
import type { Change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import { checkNaming } from './naming.ts';
import type { ProjectSettings, ProjectUpdate } from './schema.ts';
import { lockProject, updateProject } from './store.ts';

/** Changes the given fields and keeps the others. An update that changes nothing writes nothing. */
export async function changeProject(
  { tx, actor, record }: Change,
  id: string,
  input: Partial<ProjectUpdate> & ProjectSettings,
): Promise<void> {
  const naming = input.featureNaming && checkNaming(input.featureNaming);
  const before = await lockProject(tx, id);
  if (!before) throw notFound(`Project "${id}"`);
  const after = {
    ...before,
    name: input.name ?? before.name,
    description: input.description ?? before.description,
    mode: input.mode ?? before.mode,
    defaultStickiness: input.defaultStickiness ?? before.defaultStickiness,
    featureLimit: input.featureLimit === undefined ? before.featureLimit : input.featureLimit,
    debtBudget: input.debtBudget === undefined ? before.debtBudget : input.debtBudget,
    requireComment: input.requireComment ?? before.requireComment,
    featureNaming: naming ?? before.featureNaming,
  };
  if (isDeepStrictEqual(after, before)) return;
  if (actor.scope && after.mode !== before.mode)
    throw outOfScope('a token with a scope cannot change the mode of a project, because that grants access');

  await updateProject(tx, after);
  record({ type: 'project-updated', project: id, data: asEventData(after), preData: asEventData(before) });
}
