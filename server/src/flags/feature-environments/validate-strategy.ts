import type { Db, Tx } from '../../platform/db/database.ts';
import { badData, type Violation } from '../../platform/errors.ts';
import { validateConstraints } from '../../targeting/constraints/validate.ts';
import { segmentViolations } from '../../targeting/segments/violations.ts';
import { strategyTypeViolations } from '../../targeting/strategy-types/violations.ts';
import { StrategyVariantInputs } from '../../targeting/variants/schema.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import type { NewStrategy } from './schema.ts';

/** Completes constraints and weights of a strategy, or rejects it with every violation. */
export async function validateStrategy(tx: Tx, project: string, input: NewStrategy): Promise<NewStrategy> {
  const segments = [...new Set(input.segments ?? [])].toSorted((a, b) => a - b);
  const examined = await validateConstraints(tx, input.constraints ?? [], '/body/constraints', project);
  const weighed = distributeWeights(
    withoutUnknownFields(StrategyVariantInputs, input.variants ?? []),
    '/body/variants',
  );
  const details = [
    ...(await strategyTypeViolations(tx, input.name)),
    ...rolloutViolations(input),
    ...examined.violations,
    ...(weighed.violations ?? []),
    ...(await segmentViolations(tx, project, segments)),
  ];
  if (details.length > 0) throw badData(details);
  return { ...input, segments, constraints: examined.constraints, variants: weighed.variants ?? [] };
}

/** Checks the given fields of a strategy in a request that is rejected anyway. */
export async function checkStrategy(db: Db, project: string, input: Partial<NewStrategy>): Promise<void> {
  await db.transaction().execute(tx => validateStrategy(tx, project, { name: '', ...input }));
}

export function rolloutViolations({
  name,
  parameters,
}: Pick<NewStrategy, 'name' | 'parameters'>): Violation[] {
  const rollout = parameters?.rollout;
  if (name !== 'flexibleRollout' || rollout === undefined || /^(100|\d{1,2})$/.test(rollout)) return [];
  return [{ message: 'rollout must be a whole number from 0 to 100', path: '/body/parameters/rollout' }];
}
