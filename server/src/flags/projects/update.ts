import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@halyard/plane/platform/errors.ts';
import { outOfScope } from '../../access/scope.ts';
import type { Change } from '../../record/change.ts';
import { toEventData } from './create.ts';
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
  const projectBefore = await lockProject(tx, id);
  if (!projectBefore) throw notFound(`Project "${id}"`);
  const projectAfter = {
    ...projectBefore,
    name: input.name ?? projectBefore.name,
    description: input.description ?? projectBefore.description,
    mode: input.mode ?? projectBefore.mode,
    defaultStickiness: input.defaultStickiness ?? projectBefore.defaultStickiness,
    featureLimit: input.featureLimit === undefined ? projectBefore.featureLimit : input.featureLimit,
    debtBudget: input.debtBudget === undefined ? projectBefore.debtBudget : input.debtBudget,
    requireComment: input.requireComment ?? projectBefore.requireComment,
    featureNaming: naming ?? projectBefore.featureNaming,
  };
  if (isDeepStrictEqual(projectAfter, projectBefore)) return;
  if (actor.scope && projectAfter.mode !== projectBefore.mode)
    throw outOfScope('a token with a scope cannot change the mode of a project, because that grants access');

  await updateProject(tx, projectAfter);
  record({
    type: 'project-updated',
    project: id,
    data: toEventData(projectAfter),
    preData: toEventData(projectBefore),
  });
}
