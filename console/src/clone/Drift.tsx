import { useQuery } from '@tanstack/react-query';
import { driftQuery, type FeaturePath } from '../features/queries.ts';
import { computeChanges } from '../ui/diff.ts';
import { Env } from '../ui/Env.tsx';
import { Failure } from '../ui/Failure.tsx';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import s from './clone.module.css';
import type { DriftDifference } from './queries.ts';

const KIND_LABELS: Record<DriftDifference['kind'], string> = {
  changed: 'Changed',
  'only-in-source': 'Only in the source',
  'only-in-copy': 'Only in the copy',
  order: 'Different order',
};
const PART_LABELS: Record<string, string> = {
  dependencies: 'Parent',
  impressionData: 'Impression data',
  strategies: 'Strategy',
  tags: 'Tag',
};

/** Shows the current differences between a copy and its source. */
export function DriftPanel({ path, onClose }: { path: FeaturePath; onClose(): void }) {
  const { data: drift, error, refetch } = useQuery(driftQuery(path));
  return (
    <SidePanel
      title={`${path.featureName} compared with its source ${drift?.source.feature ?? ''}`}
      wide
      onClose={onClose}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!drift && !error && <Skeleton rows={3} />}
      {drift?.inSync && <p>The copy matches its source.</p>}
      <ul className={s.differences}>
        {drift?.differences.map(difference => (
          <li key={JSON.stringify(difference)}>
            <h3>
              {PART_LABELS[difference.part] ?? capitalize(difference.part)}
              {difference.environment !== null && <Env name={difference.environment} />}
              <State tone={difference.kind === 'changed' ? 'warn' : 'info'}>
                {KIND_LABELS[difference.kind]}
              </State>
            </h3>
            <FieldDiff
              changes={computeChanges(
                getComparableContent(difference.source),
                getComparableContent(difference.copy),
              )}
            />
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Removes what the server also ignores in a comparison: ids, flag names, positions, and a group id that equals the flag name. */
function getComparableContent(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { id: _, featureName, sortOrder: __, ...content } = value as Record<string, unknown>;
  const { groupId, ...parameters } = (content.parameters ?? {}) as Record<string, unknown>;
  return groupId !== undefined && groupId === featureName ? { ...content, parameters } : content;
}
