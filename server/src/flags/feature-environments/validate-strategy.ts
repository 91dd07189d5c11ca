import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { truncate } from '@halyard/plane/platform/text.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { normalizeConstraint, rejectTooManyConstraints } from '../../targeting/constraints/rules.ts';
import { validateConstraintLists } from '../../targeting/constraints/validate.ts';
import { findParameterViolations } from '../../targeting/rule-text/violations.ts';
import { listUnusableSegments } from '../../targeting/segments/violations.ts';
import { findUnknownStrategyTypes } from '../../targeting/strategy-types/violations.ts';
import { StrategyVariantInputs } from '../../targeting/variants/schema.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import type { NewStrategy } from './schema.ts';

/** A strategy in a request, and its path in the body. */
export type GivenStrategy = { input: NewStrategy; path: string };

/** Normalizes the constraints and computes the weights of a strategy, or rejects it and lists every violation. */
export async function validateStrategy(tx: Tx, project: string, input: NewStrategy): Promise<NewStrategy> {
  const [validStrategy] = await validateStrategies(tx, project, [{ input, path: '/body' }]);
  if (!validStrategy) throw new Error('The validated strategy was not returned');
  return validStrategy;
}

/** Validates any number of strategies in one project, with the same number of statements as for a single strategy. */
export async function validateStrategies(
  tx: Tx,
  project: string,
  strategies: GivenStrategy[],
): Promise<NewStrategy[]> {
  const lists = strategies.map(({ input }) => input.constraints ?? []);
  for (const list of lists) rejectTooManyConstraints(list);
  const constraintViolations = await validateConstraintLists(tx, lists, project);
  const unknownTypes = await findUnknownStrategyTypes(
    tx,
    strategies.map(({ input }) => input.name),
  );
  const segments = strategies.map(({ input }) => sortUnique(input.segments ?? []));
  const unusableIds = new Set(await listUnusableSegments(tx, project, sortUnique(segments.flat())));
  const weightedVariants = strategies.map(({ input, path }) =>
    distributeWeights(withoutUnknownFields(StrategyVariantInputs, input.variants ?? []), `${path}/variants`),
  );
  const details = strategies.flatMap(({ input, path }, index): Violation[] => [
    ...[unknownTypes.get(input.name) ?? []].flat().map(message => ({ message, path: `${path}/name` })),
    ...findRolloutViolations(input, path),
    ...findParameterViolations(input, path),
    ...(constraintViolations[index] ?? []).map(({ message, path: subpath = '' }) => ({
      message,
      path: `${path}/constraints${subpath}`,
    })),
    ...(weightedVariants[index]?.violations ?? []),
    ...(segments[index] ?? [])
      .filter(id => unusableIds.has(id))
      .map(id => ({
        message: `segment ${id} does not exist in project "${project}"`,
        path: `${path}/segments`,
      })),
  ]);
  if (details.length > 0) throw badData(details);
  return strategies.map(({ input }, index) => ({
    ...input,
    segments: segments[index] ?? [],
    constraints: (lists[index] ?? []).map(normalizeConstraint),
    variants: weightedVariants[index]?.variants ?? [],
  }));
}

const sortUnique = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

/** Throws every violation in the given fields of a strategy, for a request that is rejected anyway. Does not report a missing name. */
export async function rejectInvalidStrategy(
  db: Db,
  project: string,
  input: Partial<NewStrategy>,
): Promise<void> {
  await db.transaction().execute(tx => validateStrategy(tx, project, { name: 'default', ...input }));
}

export function findRolloutViolations(
  { name, parameters }: Pick<NewStrategy, 'name' | 'parameters'>,
  path = '/body',
): Violation[] {
  const rollout = parameters?.rollout;
  if (name !== 'flexibleRollout' || rollout === undefined || /^(100|\d{1,2})$/.test(rollout)) return [];
  const message = `rollout must be a whole number from 0 to 100, not "${truncate(rollout, 100)}"`;
  return [{ message, path: `${path}/parameters/rollout` }];
}
