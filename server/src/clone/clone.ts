import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { placeCopies } from '../feature-environments/strategies.ts';
import { readFeatures } from '../features/load.ts';
import type { Feature } from '../features/schema.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { makePlan, type Order, refuseUnlessPossible } from './plan.ts';
import type { PlannedCopy } from './schema.ts';
import { insertCopies, insertDependencies, insertEnvironments, insertTags } from './store.ts';

/** Makes the copies, all of them or none, and returns them in the order they were asked for. */
export async function cloneFeatures(db: Db, actor: Actor, order: Order): Promise<Feature[]> {
  await change(db, actor, async current => {
    const plan = await makePlan(current.tx, actor, order);
    refuseUnlessPossible(plan, order.planId);
    await writeCopies(current, actor, order, plan.copies);
  });
  // Read afterwards, because events are written last and tell who has worked on a feature.
  return await readFeatures(
    db,
    actor,
    order.project,
    order.features.map(({ name }) => name),
  );
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
  for (const { name, type, description, impressionData, source } of copies) {
    const fields = { name, project, type, description, impressionData, stale: false, archived: false };
    record({
      type: 'feature-created',
      project,
      featureName: name,
      data: { ...fields, createdAt: createdAt.get(name), clonedFrom: source },
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
  await writeTags(current, project, copies);
  await writeDependencies(current, project, copies);
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

async function writeTags({ tx, record }: Change, project: string, copies: PlannedCopy[]): Promise<void> {
  const tags = partsOf(copies, copy => copy.tags);
  if (tags.length === 0) return;
  await insertTags(tx, tags);
  for (const { featureName, ...data } of tags) record({ type: 'feature-tagged', project, featureName, data });
}

async function writeDependencies(
  { tx, record }: Change,
  project: string,
  copies: PlannedCopy[],
): Promise<void> {
  const dependencies = partsOf(copies, copy => copy.dependencies);
  if (dependencies.length === 0) return;
  await insertDependencies(tx, dependencies);
  for (const { featureName, ...data } of dependencies)
    record({ type: 'feature-dependency-added', project, featureName, data });
}

/** Parts of all copies in one list, each with the name of its copy. */
const partsOf = <T extends object>(copies: PlannedCopy[], parts: (copy: PlannedCopy) => T[]) =>
  copies.flatMap(copy => parts(copy).map(part => ({ ...part, featureName: copy.name })));
