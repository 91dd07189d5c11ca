import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Users } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { Can } from '../ui/Can.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Person } from '../ui/Person.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { getOwnerLabel } from './owner-labels.ts';
import { ownersQuery } from './owner-queries.ts';
import type { Feature } from './queries.ts';
import { Section } from './Section.tsx';

const OwnersPanel = lazy(() =>
  loadChunk(() => import('./OwnersPanel.tsx')).then(module => ({ default: module.OwnersPanel })),
);

/** The rail section with a flag's owners. `?edit=owners` opens the panel that changes them. */
export function Owners({ feature }: { feature: Feature }) {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(
    ownersQuery({ projectId: feature.project, featureName: feature.name }),
  );
  return (
    <Section
      title="Owners"
      action={
        !feature.archived && (
          <Can call="setFeatureOwners" project={feature.project}>
            <ActionIcon size={22} aria-label="Change the owners" onClick={() => push({ edit: 'owners' })}>
              <Pencil size={12} />
            </ActionIcon>
          </Can>
        )
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.owners.length === 0 && <p className="muted">No owners.</p>}
      <ul>
        {data?.owners.map(owner => {
          const { type, id, name, login, deactivated } = owner;
          return (
            <li key={`${type} ${id}`} title={login ?? undefined}>
              {type === 'user' ? <Person name={name} size={18} /> : <Users size={14} aria-label="Group" />}
              <span>{getOwnerLabel(owner, data.owners)}</span>
              {deactivated && <span className="muted">deactivated</span>}
            </li>
          );
        })}
      </ul>
      {search.edit === 'owners' && data && (
        <Suspense>
          <OwnersPanel feature={feature} current={data} onClose={() => replace({ edit: undefined })} />
        </Suspense>
      )}
    </Section>
  );
}
