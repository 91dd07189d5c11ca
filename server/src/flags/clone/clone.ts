import { mayName } from '../../access/private.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { attachParents } from '../dependencies/add.ts';
import { placeCopies } from '../feature-environments/strategies.ts';
import { readFeatures } from '../features/load.ts';
import type { Feature } from '../features/schema.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { attachTags } from '../tags/attach.ts';
import { makePlan, type Order, refuseUnlessPossible } from './plan.ts';
import type { PlannedCopy } from './schema.ts';
import { insertCopies, insertEnvironments } from './store.ts';

/** Makes the copies, all of them or none, and returns them in the order they were asked for. */
export async function cloneFeatures(
  db: Db,
  actor: Actor,
  order: Order,
  mostFeatures: number,
): Promise<Feature[]> {
  const names = order.features.map(({ name }) => name);
  const clone = async (current: Change) => {
    const plan = await makePlan(current.tx, actor, order, mostFeatures);
    refuseUnlessPossible(plan, order.planId);
    await writeCopies(current, actor, order, plan.copies);
  };
  return await change(db, actor, clone, tx => readFeatures(tx, actor, order.project, names));
}

/** One statement for each kind of part, however many there are of it. */
async function writeCopies(current: Change, actor: Actor, order: Order, copies: PlannedCopy[]) {
  const { tx, record } = current;
  const { project, choice } = order;
  const names = copies.map(({ name }) => name);
  const variants = partsOf(copies, ({ environments }) =>
    environments.filter(environment => environment.variants.length > 0),
  ).map(({ featureName, name, variants: list }) => ({ featureName, environment: name, variants: list }));
  const createdAt = await insertCopies(tx, copies, actor.userId);
  await insertEnvironments(tx, names, variants);
  await enterStage(tx, names, 'initial');
  const named = await mayName(
    tx,
    project,
    copies.map(({ source }) => source.project),
  );
  for (const { name, type, description, impressionData, source } of copies) {
    const fields = {
      name,
      project,
      type,
      description: description ?? null,
      impressionData,
      stale: false,
      archived: false,
    };
    record({
      type: 'feature-created',
      project,
      featureName: name,
      data: {
        ...fields,
        createdAt: createdAt.get(name),
        ...(named(source.project) ? { clonedFrom: source } : {}),
      },
    });
  }
  await placeCopies(current, project, strategiesOf(copies, choice.replaceGroupId));
  for (const { featureName, environment, variants: list } of variants) {
    record({
      type: 'feature-environment-variants-updated',
      project,
      environment,
      featureName,
      data: { variants: list },
      preData: { variants: [] },
    });
  }
  await attachTags(
    current,
    copies.map(({ name, tags }) => ({ feature: { name, project, tags: [] }, tags })),
  );
  await attachParents(
    current,
    copies.flatMap(({ name, dependencies }) =>
      dependencies.map(dependency => ({ child: { name, project, dependencies: [] }, dependency })),
    ),
  );
}

const strategiesOf = (copies: PlannedCopy[], replaceGroupId: boolean) =>
  partsOf(copies, ({ name, environments }) =>
    environments.flatMap(({ name: environment, strategies }) =>
      strategies.map(({ copyOf, ...content }) => ({
        copyOf,
        environment,
        groupId: replaceGroupId ? name : null,
        content,
      })),
    ),
  );

/** Parts of all copies in one list, each with the name of its copy. */
const partsOf = <T extends object>(copies: PlannedCopy[], parts: (copy: PlannedCopy) => T[]) =>
  copies.flatMap(copy => parts(copy).map(part => ({ ...part, featureName: copy.name })));
