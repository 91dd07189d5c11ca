import { useQuery } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { useMemo } from 'react';
import { useFilters } from '../ui/useFilters.ts';
import { EnvironmentCards } from './EnvironmentCards.tsx';
import { FlagFrame } from './Frame.tsx';
import s from './features.module.css';
import { type Feature, segmentsQuery } from './queries.ts';
import { Rail } from './Rail.tsx';
import { Strategies } from './Strategies.tsx';

/** Shows the environments of a flag, the strategies of one environment, and the flag's recent changes. */
export function FeaturePage() {
  return <FlagFrame>{feature => <Rollout feature={feature} />}</FlagFrame>;
}

function Rollout({ feature }: { feature: Feature }) {
  const { search, replace } = useFilters();
  const segments = useQuery(segmentsQuery).data?.segments;
  const segmentNames = useMemo(() => new Map(segments?.map(({ id, name }) => [id, name])), [segments]);
  // Defaults to the last environment, because it is usually production.
  const environment =
    feature.environments.find(({ name }) => name === search.environment) ?? feature.environments.at(-1);
  return (
    <div className={s.page}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.main} tabIndex={0} aria-label="Environments and strategies">
        {feature.archived && (
          <p className={s.archived}>
            <Archive size={14} aria-hidden="true" />
            This flag is archived, and SDKs do not receive it. To change it, revive it first. A revived flag
            is disabled in every environment.
          </p>
        )}
        <EnvironmentCards
          feature={feature}
          selected={environment?.name}
          segmentNames={segmentNames}
          onSelect={name => replace({ environment: name, edit: undefined })}
        />
        {environment ? (
          <Strategies feature={feature} environment={environment} segmentNames={segmentNames} />
        ) : (
          <p className="muted">The project has no environments.</p>
        )}
      </section>
      <Rail feature={feature} />
    </div>
  );
}
