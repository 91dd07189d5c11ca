import { badData } from '../../../../plane/src/platform/errors.ts';
import { complete } from '../../flags/feature-environments/strategies.ts';
import { validateStrategies } from '../../flags/feature-environments/validate-strategy.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Feature, Strategy } from '../explanation/document.ts';
import type { Draft } from './schema.ts';
import type { StrategyRow } from './store.ts';

/** Strategies of a request that replace those of a feature in an environment. */
export type AcceptedDraft = {
  enabled: boolean | undefined;
  /** All strategies, as shown in the admin API. */
  rows: StrategyRow[];
  /** Those that are not disabled, as SDKs get them. */
  strategies: Strategy[];
};

/** By environment and feature. */
export type Drafts = ReadonlyMap<string, AcceptedDraft>;

export const draftKey = (environment: string, feature: string): string => `${environment} ${feature}`;

/** Validates the strategies as the operations that save them do. `projects` are those of the features. */
export async function acceptDrafts(
  db: Db,
  drafts: readonly Draft[],
  projects: ReadonlyMap<string, string>,
): Promise<Drafts> {
  rejectTwice(drafts);
  const accepted = new Map<string, AcceptedDraft>();
  for (const [at, draft] of drafts.entries()) {
    const project = projects.get(draft.feature) ?? '';
    const given = draft.strategies.map(({ id: _, ...input }, index) => ({
      input,
      path: `/body/drafts/${at}/strategies/${index}`,
    }));
    const inputs = await db.transaction().execute(tx => validateStrategies(tx, project, given));
    const contents = inputs.map((input, index) => complete(input, draft.feature, index));
    accepted.set(draftKey(draft.environment, draft.feature), {
      enabled: draft.enabled,
      rows: contents.map(({ name, title = null, disabled, parameters }, index) => ({
        id: draft.strategies[index]?.id ?? '',
        name,
        title,
        disabled,
        parameters,
      })),
      strategies: contents
        .filter(({ disabled }) => !disabled)
        .map(({ name, parameters, constraints, segments, variants }) => ({
          name,
          parameters,
          constraints,
          segments,
          variants,
        })),
    });
  }
  return accepted;
}

function rejectTwice(drafts: readonly Draft[]): void {
  const seen = new Set<string>();
  const details = drafts.flatMap(({ environment, feature }, at) => {
    const key = draftKey(environment, feature);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = `feature "${feature}" in environment "${environment}" has two drafts`;
    return [{ message, path: `/body/drafts/${at}` }];
  });
  if (details.length > 0) throw badData(details);
}

/** The feature with the strategies of the draft. SDKs get a feature without strategies as disabled. */
export const withDraft = (feature: Feature, { enabled, strategies }: AcceptedDraft): Feature => ({
  ...feature,
  enabled: (enabled ?? feature.enabled) && strategies.length > 0,
  strategies,
});
