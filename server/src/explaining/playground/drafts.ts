import { badData } from '@halyard/plane/platform/errors.ts';
import { completeStrategy } from '../../flags/feature-environments/strategies.ts';
import { validateStrategies } from '../../flags/feature-environments/validate-strategy.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Feature, Strategy } from '../explanation/document.ts';
import type { Draft } from './schema.ts';
import type { StrategyRow } from './store.ts';

/** Strategies of a request that replace a feature's strategies in an environment. */
export type AcceptedDraft = {
  enabled: boolean | undefined;
  /** All strategies, as shown in the admin API. */
  rows: StrategyRow[];
  /** The strategies that are not disabled, as SDKs get them. */
  strategies: Strategy[];
};

/** The drafts by environment and feature. */
export type Drafts = ReadonlyMap<string, AcceptedDraft>;

export const draftKey = (environment: string, feature: string): string => `${environment} ${feature}`;

/** Validates the strategies like the operations that save them. `projects` maps each feature to its project. */
export async function acceptDrafts(
  db: Db,
  drafts: readonly Draft[],
  projects: ReadonlyMap<string, string>,
): Promise<Drafts> {
  rejectDuplicates(drafts);
  const acceptedDrafts = new Map<string, AcceptedDraft>();
  for (const [draftIndex, draft] of drafts.entries()) {
    const project = projects.get(draft.feature) ?? '';
    const requestedStrategies = draft.strategies.map(({ id: _, ...input }, index) => ({
      input,
      path: `/body/drafts/${draftIndex}/strategies/${index}`,
    }));
    const inputs = await db.transaction().execute(tx => validateStrategies(tx, project, requestedStrategies));
    const contents = inputs.map((input, index) => completeStrategy(input, draft.feature, index));
    acceptedDrafts.set(draftKey(draft.environment, draft.feature), {
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
  return acceptedDrafts;
}

function rejectDuplicates(drafts: readonly Draft[]): void {
  const seenKeys = new Set<string>();
  const details = drafts.flatMap(({ environment, feature }, index) => {
    const key = draftKey(environment, feature);
    if (!seenKeys.has(key)) {
      seenKeys.add(key);
      return [];
    }
    const message = `feature "${feature}" in environment "${environment}" has two drafts`;
    return [{ message, path: `/body/drafts/${index}` }];
  });
  if (details.length > 0) throw badData(details);
}

/** Returns the feature with the strategies of the draft. A feature without strategies is disabled, as it is for SDKs. */
export const applyDraft = (feature: Feature, { enabled, strategies }: AcceptedDraft): Feature => ({
  ...feature,
  enabled: (enabled ?? feature.enabled) && strategies.length > 0,
  strategies,
});
