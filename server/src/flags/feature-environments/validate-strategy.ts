import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import { truncate } from '../../../../plane/src/platform/text.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { normaliseConstraint, rejectTooMany } from '../../targeting/constraints/rules.ts';
import { validateConstraintLists } from '../../targeting/constraints/validate.ts';
import { parameterViolations } from '../../targeting/rule-text/violations.ts';
import { listUnusableSegments } from '../../targeting/segments/violations.ts';
import { unknownStrategyTypes } from '../../targeting/strategy-types/violations.ts';
import { StrategyVariantInputs } from '../../targeting/variants/schema.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import type { NewStrategy } from './schema.ts';

/** A strategy of a request, and its path in the request. */
export type GivenStrategy = { input: NewStrategy; path: string };

/** Completes constraints and weights of a strategy, or rejects it with every violation. */
export async function validateStrategy(tx: Tx, project: string, input: NewStrategy): Promise<NewStrategy> {
  const [accepted] = await validateStrategies(tx, project, [{ input, path: '/body' }]);
  if (!accepted) throw new Error('The validated strategy was not returned');
  return accepted;
}

/** The same for any number of strategies in one project, with the same number of statements. */
export async function validateStrategies(
  tx: Tx,
  project: string,
  given: GivenStrategy[],
): Promise<NewStrategy[]> {
  const lists = given.map(({ input }) => input.constraints ?? []);
  for (const list of lists) rejectTooMany(list);
  const ofConstraints = await validateConstraintLists(tx, lists, project);
  const unknownTypes = await unknownStrategyTypes(
    tx,
    given.map(({ input }) => input.name),
  );
  const segments = given.map(({ input }) => sortedUnique(input.segments ?? []));
  const unusable = new Set(await listUnusableSegments(tx, project, sortedUnique(segments.flat())));
  const weighed = given.map(({ input, path }) =>
    distributeWeights(withoutUnknownFields(StrategyVariantInputs, input.variants ?? []), `${path}/variants`),
  );
  const details = given.flatMap(({ input, path }, at): Violation[] => [
    ...[unknownTypes.get(input.name) ?? []].flat().map(message => ({ message, path: `${path}/name` })),
    ...rolloutViolations(input, path),
    ...parameterViolations(input, path),
    ...(ofConstraints[at] ?? []).map(({ message, path: within = '' }) => ({
      message,
      path: `${path}/constraints${within}`,
    })),
    ...(weighed[at]?.violations ?? []),
    ...(segments[at] ?? [])
      .filter(id => unusable.has(id))
      .map(id => ({
        message: `segment ${id} does not exist in project "${project}"`,
        path: `${path}/segments`,
      })),
  ]);
  if (details.length > 0) throw badData(details);
  return given.map(({ input }, at) => ({
    ...input,
    segments: segments[at] ?? [],
    constraints: (lists[at] ?? []).map(normaliseConstraint),
    variants: weighed[at]?.variants ?? [],
  }));
}

const sortedUnique = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

/** Checks the given fields of a strategy, in a request that is rejected in any case. The type "default" always exists. */
export async function checkStrategy(db: Db, project: string, input: Partial<NewStrategy>): Promise<void> {
  await db.transaction().execute(tx => validateStrategy(tx, project, { name: 'default', ...input }));
}

export function rolloutViolations(
  { name, parameters }: Pick<NewStrategy, 'name' | 'parameters'>,
  path = '/body',
): Violation[] {
  const rollout = parameters?.rollout;
  if (name !== 'flexibleRollout' || rollout === undefined || /^(100|\d{1,2})$/.test(rollout)) return [];
  const message = `rollout must be a whole number from 0 to 100, not "${truncate(rollout, 100)}"`;
  return [{ message, path: `${path}/parameters/rollout` }];
}
