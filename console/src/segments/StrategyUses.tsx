import { useQuery } from '@tanstack/react-query';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { strategyTypesQuery } from '../strategy-types/queries.ts';
import { Env } from '../ui/Env.tsx';
import { UsedBy } from '../ui/UsedBy.tsx';
import type { StrategyUse } from './queries.ts';

const MAX_SHOWN = 50;

/** Lists the strategies that use a segment or a context field. Each entry opens the strategy's editor. */
export function StrategyUses({ uses, empty }: { uses: readonly StrategyUse[] | undefined; empty: string }) {
  const projects = useQuery(projectsQuery).data;
  const types = useQuery(strategyTypesQuery).data;
  const { environments = [] } = useQuery(environmentsQuery).data ?? {};
  return (
    <UsedBy
      noun="strategy"
      plural="strategies"
      empty={empty}
      total={uses?.length}
      uses={uses?.slice(0, MAX_SHOWN).map(({ id, featureName, projectId, environment, strategyName }) => ({
        key: id,
        to: `/projects/${encodeURIComponent(projectId)}/features/${encodeURIComponent(featureName)}`,
        search: { environment, edit: id },
        label: <span className="mono">{featureName}</span>,
        note: `${projects?.find(project => project.id === projectId)?.name ?? projectId} · ${types?.find(({ name }) => name === strategyName)?.displayName ?? strategyName}`,
        aside: (
          <Env
            name={environment}
            type={environments.find(({ name }) => name === environment)?.type ?? environment}
          />
        ),
      }))}
    />
  );
}
