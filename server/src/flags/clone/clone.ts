import { buildProjectNameCheck } from '../../access/visibility.ts';
import type { Change } from '../../record/change.ts';
import { attachParents } from '../dependencies/add.ts';
import { addCopies } from '../feature-environments/strategies.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { attachTags } from '../tags/attach.ts';
import { type CloneInput, makePlan, rejectIfNotExecutable } from './plan.ts';
import type { PlannedCopy } from './schema.ts';
import { insertCopies, insertEnvironments } from './store.ts';

/** Creates all copies, or none if there is an obstacle. */
export async function cloneFeatures(current: Change, input: CloneInput, featureLimit: number): Promise<void> {
  const plan = await makePlan(current, input, featureLimit);
  rejectIfNotExecutable(plan, input.planId);
  await writeCopies(current, input, plan.copies);
}

/** Writes all parts of one kind in a single statement, however many there are. */
async function writeCopies(current: Change, input: CloneInput, copies: PlannedCopy[]): Promise<void> {
  const { tx, actor, record } = current;
  const { project, options } = input;
  const names = copies.map(({ name }) => name);
  const variants = collectParts(copies, ({ environments }) =>
    environments.filter(environment => environment.variants.length > 0),
  ).map(({ featureName, name, variants: list }) => ({ featureName, environment: name, variants: list }));
  const createdAt = await insertCopies(tx, copies, actor.userId);
  await insertEnvironments(tx, names, variants);
  await enterStage(tx, names, 'initial');
  const canNameProject = await buildProjectNameCheck(
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
        ...(canNameProject(source.project) ? { clonedFrom: source } : {}),
      },
    });
  }
  await addCopies(current, project, collectStrategies(copies, options.replaceGroupId));
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

const collectStrategies = (copies: PlannedCopy[], replaceGroupId: boolean) =>
  collectParts(copies, ({ name, environments }) =>
    environments.flatMap(({ name: environment, strategies }) =>
      strategies.map(({ copyOf, ...content }) => ({
        copyOf,
        environment,
        groupId: replaceGroupId ? name : null,
        content,
      })),
    ),
  );

/** Collects the parts of all copies into one list, each with the name of its copy. */
const collectParts = <T extends object>(copies: PlannedCopy[], getParts: (copy: PlannedCopy) => T[]) =>
  copies.flatMap(copy => getParts(copy).map(part => ({ ...part, featureName: copy.name })));
