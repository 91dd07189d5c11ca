import { ActionIcon, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Archive, ArchiveRestore, CopyPlus, FlaskConical, MoreHorizontal, Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { can, type OperationId } from '../api/can.ts';
import { loadChunk } from '../api/chunks.ts';
import { useMe } from '../api/me.ts';
import { FlagState } from '../feature-search/FlagState.tsx';
import { typesQuery } from '../feature-search/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { useRegisterActions } from '../ui/actions.ts';
import { Can } from '../ui/Can.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { FavoriteButton } from '../ui/FavoriteButton.tsx';
import { Loading } from '../ui/Loading.tsx';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Page } from '../ui/Page.tsx';
import { State } from '../ui/State.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Tabs } from '../ui/Tabs.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { formatNumber } from '../ui/words.ts';
import s from './Frame.module.css';
import {
  copiesQuery,
  type Feature,
  featureQuery,
  recentEventsQuery,
  reviveFeature,
  setFavorite,
  updateFeature,
} from './queries.ts';
import { Tags } from './Tags.tsx';
import { describeRevival } from './words.ts';

const ArchiveDialog = lazy(() =>
  loadChunk(() => import('./ArchiveDialog.tsx')).then(module => ({ default: module.ArchiveDialog })),
);

/** The frame of a flag's pages, with its state, actions, tags and tabs. `?edit=` opens a panel. */
export function FlagFrame({ children }: { children(feature: Feature): ReactNode }) {
  const { projectId = '', featureName = '' } = useParams({ strict: false });
  const { data: feature, error, refetch } = useQuery(featureQuery({ projectId, featureName }));
  if (feature) return <Frame feature={feature}>{children(feature)}</Frame>;
  return (
    <Page title={featureName}>
      <Loading queries={[{ error, refetch }]} />
    </Page>
  );
}

function Frame({ feature, children }: { feature: Feature; children: ReactNode }) {
  const { search, replace } = useFilters();
  const base = `/projects/${encodeURIComponent(feature.project)}/features/${encodeURIComponent(feature.name)}`;
  const path = { projectId: feature.project, featureName: feature.name };
  const eventCount = useQuery(recentEventsQuery(path)).data?.total;
  const copyCount = useQuery(copiesQuery(path)).data?.total;
  const dependencyCount = feature.dependencies.length + feature.children.length;
  return (
    <div className={s.frame}>
      <Page
        name={feature.name}
        title={<Title feature={feature} />}
        crumbs={<Crumbs projectId={feature.project} />}
        actions={<Actions feature={feature} />}
        head={
          <>
            <About feature={feature} />
            <Tabs
              label="Parts of the flag"
              tabs={[
                { to: base, label: 'Rollout' },
                { to: `${base}/usage`, label: 'Usage' },
                { to: `${base}/events`, label: 'Events', count: eventCount && formatNumber(eventCount) },
                { to: `${base}/dependencies`, label: 'Dependencies', count: dependencyCount || undefined },
                { to: `${base}/copies`, label: 'Copies', count: copyCount || undefined },
                { to: `${base}/settings`, label: 'Settings' },
              ]}
            />
          </>
        }
      >
        {children}
        {search.edit === 'tags' && <Tags feature={feature} onClose={() => replace({ edit: undefined })} />}
      </Page>
    </div>
  );
}

function Title({ feature }: { feature: Feature }) {
  const client = useQueryClient();
  const types = useQuery(typesQuery).data?.types;
  const path = { projectId: feature.project, featureName: feature.name };
  const toggleFavorite = () => setFavorite(client, path, !feature.favorite);
  useShortcuts([
    {
      keys: 's',
      description: 'Add the flag to your favorites, or remove it',
      run: () => void toggleFavorite().catch(toastError),
    },
  ]);
  return (
    <span className={s.title}>
      <FavoriteButton
        size={16}
        label="Favorite"
        pressed={feature.favorite}
        onClick={() => void toggleFavorite().catch(toastError)}
      />
      <span className="mono">{feature.name}</span>
      <CopyButton text={feature.name} label="Copy name" />
      <FlagState flag={feature} />
      <State tone="off">{types?.find(type => type.id === feature.type)?.name ?? feature.type}</State>
    </span>
  );
}

function Crumbs({ projectId }: { projectId: string }) {
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === projectId);
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
  const { push } = useFilters();
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
      {!feature.archived && (
        <Can call="changeFeatureTags" project={feature.project}>
          {feature.tags.length > 0 ? (
            <ActionIcon size={22} aria-label="Edit tags" onClick={() => push({ edit: 'tags' })}>
              <Plus size={14} />
            </ActionIcon>
          ) : (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              aria-label="Edit tags"
              leftSection={<Plus size={14} />}
              onClick={() => push({ edit: 'tags' })}
            >
              Tags
            </Button>
          )}
        </Can>
      )}
    </div>
  );
}

function Actions({ feature }: { feature: Feature }) {
  const [isArchiving, setArchiving] = useState(false);
  const path = { projectId: feature.project, featureName: feature.name };
  const run = (call: Promise<unknown>) => void call.catch(toastError);
  const revive = async () => {
    await reviveFeature(path);
    toast({ about: feature.name, message: describeRevival(feature) });
  };
  useFlagActions(feature, { onArchive: () => setArchiving(true), onRevive: () => run(revive()), run });
  if (feature.archived)
    return (
      <Can call="reviveFeature" project={feature.project}>
        <Button leftSection={<ArchiveRestore size={14} />} onClick={() => run(revive())}>
          Revive
        </Button>
      </Can>
    );
  return (
    <>
      <Button
        leftSection={<FlaskConical size={14} />}
        renderRoot={props => (
          <Link
            to="/playground"
            search={{
              project: feature.project,
              feature: feature.name,
              environment: feature.environments.map(({ name }) => name),
            }}
            {...props}
          />
        )}
      >
        Evaluate
      </Button>
      {/* Without `project`, because the copy may go to a different project. */}
      <Can call="cloneFeature">
        <Button
          leftSection={<CopyPlus size={14} />}
          renderRoot={props => (
            <Link to="/projects/$projectId/features/$featureName/clone" params={path} {...props} />
          )}
        >
          Clone…
        </Button>
      </Can>
      <Can call="archiveFeature" project={feature.project}>
        <Button leftSection={<Archive size={14} />} onClick={() => setArchiving(true)}>
          Archive…
        </Button>
      </Can>
      <Menu
        target={
          <ActionIcon variant="default" aria-label="More actions">
            <MoreHorizontal size={16} />
          </ActionIcon>
        }
      >
        <Can call="updateFeature" project={feature.project}>
          <MenuItem onClick={() => run(updateFeature(path, { stale: !feature.stale }))}>
            {feature.stale ? 'Unmark as stale' : 'Mark as stale'}
          </MenuItem>
        </Can>
      </Menu>
      {isArchiving && (
        <Suspense>
          <ArchiveDialog feature={feature} onClose={() => setArchiving(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Adds the flag's actions to the command palette. */
function useFlagActions(
  feature: Feature,
  { onArchive, onRevive, run }: { onArchive(): void; onRevive(): void; run(call: Promise<unknown>): void },
): void {
  const me = useMe();
  const navigate = useNavigate();
  const { push } = useFilters();
  const { name, project, archived, stale } = feature;
  const path = { projectId: project, featureName: name };
  const isAllowed = (call: OperationId) => !archived && can(me, call, { project });
  useRegisterActions([
    archived &&
      can(me, 'reviveFeature', { project }) && {
        label: `Revive ${name}`,
        run: onRevive,
      },
    isAllowed('changeFeatureTags') && { label: `Edit tags of ${name}…`, run: () => push({ edit: 'tags' }) },
    isAllowed('updateFeature') && {
      label: stale ? `Unmark ${name} as stale` : `Mark ${name} as stale`,
      run: () => run(updateFeature(path, { stale: !stale })),
    },
    !archived &&
      can(me, 'cloneFeature') && {
        label: `Clone ${name}…`,
        run: () => void navigate({ to: '/projects/$projectId/features/$featureName/clone', params: path }),
      },
    isAllowed('archiveFeature') && { label: `Archive ${name}…`, run: onArchive },
  ]);
}
