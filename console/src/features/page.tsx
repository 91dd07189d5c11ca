import { ActionIcon, Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Archive as ArchiveIcon, ArchiveRestore, CopyPlus, MoreHorizontal, Star } from 'lucide-react';
import { useMemo, useState } from 'react';
import { FlagState } from '../feature-search/FlagRow.tsx';
import { typesQuery } from '../feature-search/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { Archive } from './Archive.tsx';
import { EnvironmentCards } from './EnvironmentCards.tsx';
import s from './features.module.css';
import {
  type Feature,
  featureQuery,
  refresh,
  reviveFeature,
  segmentsQuery,
  setFavorite,
  updateFeature,
} from './queries.ts';
import { Rail } from './Rail.tsx';
import { Strategies } from './Strategies.tsx';

/** One flag: its environments, the strategies of one of them, and what happened to it. */
export function FeaturePage() {
  const { projectId = '', featureName = '' } = useParams({ strict: false });
  const { data: feature, error, refetch } = useQuery(featureQuery({ projectId, featureName }));
  if (feature) return <Flag feature={feature} />;
  return (
    <Page title={featureName}>
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </Page>
  );
}

function Flag({ feature }: { feature: Feature }) {
  const { search, replace } = useFilters();
  const segments = useQuery(segmentsQuery).data?.segments;
  const segmentNames = useMemo(() => new Map(segments?.map(({ id, name }) => [id, name])), [segments]);
  // Without a choice in the address: the last environment, which is production where it exists.
  const environment =
    feature.environments.find(one => one.name === search.environment) ?? feature.environments.at(-1);
  return (
    <Page
      name={feature.name}
      title={<Title feature={feature} />}
      crumbs={<Crumbs projectId={feature.project} />}
      actions={<Actions feature={feature} />}
      head={<About feature={feature} />}
    >
      <div className={s.page}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={s.main} tabIndex={0} aria-label="Environments and strategies">
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
    </Page>
  );
}

function Title({ feature }: { feature: Feature }) {
  const client = useQueryClient();
  const types = useQuery(typesQuery).data?.types;
  const place = { projectId: feature.project, featureName: feature.name };
  const star = async () => {
    await setFavorite(place, !feature.favorite);
    await refresh(client, place);
    await client.invalidateQueries({ queryKey: ['favorites'] });
  };
  useShortcuts([{ keys: 's', description: 'Star the flag', run: () => void star().catch(toastError) }]);
  return (
    <span className={s.title}>
      <button
        type="button"
        className={s.star}
        aria-pressed={feature.favorite}
        aria-label="Star this flag"
        onClick={() => void star().catch(toastError)}
      >
        <Star size={16} fill={feature.favorite ? 'currentColor' : 'none'} aria-hidden="true" />
      </button>
      <span className="mono">{feature.name}</span>
      <CopyButton text={feature.name} label="Copy name" />
      <FlagState flag={feature} />
      <State tone="off">{types?.find(type => type.id === feature.type)?.name ?? feature.type}</State>
    </span>
  );
}

function Crumbs({ projectId }: { projectId: string }) {
  const project = useQuery(projectsQuery).data?.find(one => one.id === projectId);
  return (
    <>
      <Link to="/projects">Projects</Link> /{' '}
      <Link to="/projects/$projectId" params={{ projectId }}>
        {project?.name ?? projectId}
      </Link>{' '}
      / <span>Flags</span>
    </>
  );
}

function About({ feature }: { feature: Feature }) {
  return (
    <div className={s.about}>
      {feature.description && <span>{feature.description}</span>}
      {feature.tags.map(tag => (
        <Link
          key={`${tag.type}:${tag.value}`}
          to="/flags"
          search={{ tag: `INCLUDE:${tag.type}:${tag.value}` }}
          className={s.tag}
        >
          {tag.type}:{tag.value}
        </Link>
      ))}
    </div>
  );
}

function Actions({ feature }: { feature: Feature }) {
  const client = useQueryClient();
  const [archiving, setArchiving] = useState(false);
  const place = { projectId: feature.project, featureName: feature.name };
  const run = (call: Promise<unknown>) => void call.then(() => refresh(client, place)).catch(toastError);
  if (feature.archived)
    return (
      <Can call="reviveFeature" project={feature.project}>
        <Button leftSection={<ArchiveRestore size={14} />} onClick={() => run(reviveFeature(place))}>
          Revive
        </Button>
      </Can>
    );
  return (
    <>
      <Button
        leftSection={<CopyPlus size={14} />}
        renderRoot={props => (
          <Link to="/projects/$projectId/features/$featureName/clone" params={place} {...props} />
        )}
      >
        Clone…
      </Button>
      <Can call="archiveFeature" project={feature.project}>
        <Button leftSection={<ArchiveIcon size={14} />} onClick={() => setArchiving(true)}>
          Archive…
        </Button>
      </Can>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label="More actions">
            <MoreHorizontal size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Can call="updateFeature" project={feature.project}>
            <Menu.Item onClick={() => run(updateFeature(place, { stale: !feature.stale }))}>
              {feature.stale ? 'Mark as active' : 'Mark as stale'}
            </Menu.Item>
          </Can>
        </Menu.Dropdown>
      </Menu>
      {archiving && <Archive feature={feature} onClose={() => setArchiving(false)} />}
    </>
  );
}
