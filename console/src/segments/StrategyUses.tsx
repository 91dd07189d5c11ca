import { useQuery } from '@tanstack/react-query';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { UsedBy } from '../ui/UsedBy.tsx';
import type { StrategyUse } from './queries.ts';

const SHOWN = 50;

/** The strategies that use a segment or a context field. Each opens in its editor. */
export function StrategyUses({ uses, empty }: { uses: readonly StrategyUse[] | undefined; empty: string }) {
  const projects = useQuery(projectsQuery).data;
  const { environments = [] } = useQuery(environmentsQuery).data ?? {};
  return (
    <UsedBy
      noun="strategy"
      plural="strategies"
      empty={empty}
      total={uses?.length}
      uses={uses?.slice(0, SHOWN).map(({ id, featureName, projectId, environment, strategyName }) => ({
        key: id,
        to: `/projects/${encodeURIComponent(projectId)}/features/${encodeURIComponent(featureName)}`,
        search: { environment, edit: id },
        label: <span className="mono">{featureName}</span>,
        note: `${projects?.find(one => one.id === projectId)?.name ?? projectId} · ${strategyName}`,
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
