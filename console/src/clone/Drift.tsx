import { useQuery } from '@tanstack/react-query';
import { driftQuery, type Place } from '../features/queries.ts';
import { changesOf } from '../ui/diff.ts';
import { Env } from '../ui/Env.tsx';
import { Failure } from '../ui/Failure.tsx';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import s from './clone.module.css';
import type { DriftDifference } from './queries.ts';

const KINDS: Record<DriftDifference['kind'], string> = {
  changed: 'Changed',
  'only-in-source': 'Only in the source',
  'only-in-copy': 'Only in the copy',
  order: 'Other order',
};
const PARTS: Record<string, string> = {
  dependencies: 'Parent',
  impressionData: 'Impression data',
  strategies: 'Strategy',
  tags: 'Tag',
};

/** The differences between a copy and its source, as both are now. */
export function DriftPanel({ place, onClose }: { place: Place; onClose(): void }) {
  const { data: drift, error, refetch } = useQuery(driftQuery(place));
  return (
    <SidePanel
      title={`${place.featureName} compared with its source ${drift?.source.feature ?? ''}`}
      wide
      onClose={onClose}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!drift && !error && <Skeleton rows={3} />}
      {drift?.inSync && <p>The copy has the same contents as its source.</p>}
      <ul className={s.differences}>
        {drift?.differences.map(difference => (
          <li key={JSON.stringify(difference)}>
            <h3>
              {PARTS[difference.part] ?? capital(difference.part)}
              {difference.environment !== null && <Env name={difference.environment} />}
              <State tone={difference.kind === 'changed' ? 'warn' : 'info'}>{KINDS[difference.kind]}</State>
            </h3>
            <FieldDiff changes={changesOf(comparable(difference.source), comparable(difference.copy))} />
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The server does not compare ids, names and positions, and neither does the panel. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { id: _, featureName, sortOrder: __, ...content } = value as Record<string, unknown>;
  const { groupId, ...parameters } = (content.parameters ?? {}) as Record<string, unknown>;
  return groupId !== undefined && groupId === featureName ? { ...content, parameters } : content;
}
