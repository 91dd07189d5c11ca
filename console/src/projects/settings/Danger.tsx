import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../../api/keys.ts';
import { Can } from '../../ui/Can.tsx';
import { DangerAction, DangerZone } from '../../ui/DangerZone.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { toast, toastError } from '../../ui/toasts.ts';
import { formatCount } from '../../ui/words.ts';
import { useProject } from '../Frame.tsx';
import { archiveProject, type ProjectDetails, reviveProject } from '../queries.ts';
import { SettingsPage } from './Frame.tsx';
import { deleteProject, deletionEffectsQuery } from './queries.ts';
import s from './settings.module.css';

export function DangerPage() {
  return <SettingsPage>{project => <Danger key={project.id} project={project} />}</SettingsPage>;
}

function Danger({ project }: { project: ProjectDetails }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { id, name, archivedAt } = project;
  const effects = useQuery(deletionEffectsQuery(id));
  const listedProject = useProject(id).project;
  const activeFlags = listedProject && 'featureCount' in listedProject ? listedProject.featureCount : 0;
  const blockReason = describeBlock(id, activeFlags);
  const archive = async () => {
    await archiveProject(id);
    toast({ message: `Archived ${name}.` });
  };
  const revive = async () => {
    await reviveProject(id);
    toast({ message: `Revived ${name}.` });
  };
  const remove = async () => {
    await deleteProject(id);
    await navigate({ to: '/projects' });
    client.removeQueries({ queryKey: keys.project(id) });
    toast({ message: `Deleted ${name}.` });
  };
  return (
    <div className={s.single}>
      {effects.error && !effects.data && (
        <Failure error={effects.error} onRetry={() => void effects.refetch()} />
      )}
      {archivedAt !== null && (
        <section className={s.archived} aria-label="Archived">
          <div className={s.archivedWords}>
            <b>This project is archived</b>
            <p>
              It is hidden from lists and menus, and nobody can create flags in it. A revived project has the
              same members. Its flags remain archived until you revive them.
            </p>
          </div>
          <Can call="reviveProject" project={id}>
            <Button onClick={() => void revive().catch(toastError)}>Revive project</Button>
          </Can>
        </section>
      )}
      <DangerZone>
        {archivedAt === null && (
          <DangerAction
            title="Archive this project"
            action="Archive project"
            call="archiveProject"
            project={id}
            blocked={blockReason}
            onConfirm={archive}
          >
            <p>
              The project is hidden from lists and menus, and nobody can create flags in it. Its archived
              flags, events and members remain. You can revive it later.
            </p>
          </DangerAction>
        )}
        <DangerAction
          title="Delete this project"
          action="Delete project"
          call="deleteProject"
          project={id}
          blocked={blockReason}
          nameToType={id}
          onConfirm={remove}
        >
          {effects.data ? (
            <Losses projectId={id} {...effects.data} />
          ) : (
            <p>A deleted project cannot be restored.</p>
          )}
        </DangerAction>
      </DangerZone>
    </div>
  );
}

/** Describes why a project can be neither archived nor deleted now. */
function describeBlock(id: string, activeFlags: number): ReactNode {
  if (id === 'default')
    return <p>The default project always exists: it can be neither archived nor deleted.</p>;
  if (activeFlags === 0) return undefined;
  return (
    <p>
      The project has{' '}
      <Link to="/projects/$projectId" params={{ projectId: id }}>
        {formatCount(activeFlags, 'active flag')}
      </Link>
      , which SDKs still receive. Archive the {activeFlags === 1 ? 'flag' : 'flags'} first:{' '}
      <Link to="/projects/$projectId" params={{ projectId: id }} search={{ select: 'all' }}>
        select {activeFlags === 1 ? 'it' : 'them all'}
      </Link>
      .
    </p>
  );
}

/** Lists what is deleted with the project, as counts with links. */
function Losses({
  projectId,
  archivedFlags,
  segments,
  contextFields,
  apiTokens,
  members,
}: {
  projectId: string;
  archivedFlags: number;
  segments: number;
  contextFields: number;
  apiTokens: number;
  members: number;
}) {
  const params = { projectId };
  return (
    <>
      <p>A deleted project cannot be restored. It is deleted with:</p>
      <ul className={s.losses}>
        {archivedFlags > 0 && (
          <li>
            <Link to="/projects/$projectId" params={params} search={{ archived: 'IS:true' }}>
              {formatCount(archivedFlags, 'archived flag')}
            </Link>
          </li>
        )}
        {segments > 0 && (
          <li>
            <Link to="/projects/$projectId/segments" params={params}>
              {formatCount(segments, 'segment')}
            </Link>
          </li>
        )}
        {contextFields > 0 && <li>{formatCount(contextFields, 'context field')}</li>}
        <li>
          <Link to="/projects/$projectId/settings/access" params={params}>
            the roles of {formatCount(members, 'member')}
          </Link>
        </li>
        {apiTokens > 0 && (
          <li>
            <Link to="/projects/$projectId/settings/tokens" params={params}>
              {formatCount(apiTokens, 'API token')}
            </Link>{' '}
            with access to it (those for no other project are revoked)
          </li>
        )}
      </ul>
      <p>Events remain in the event log for admins. Only an admin can use the id again.</p>
    </>
  );
}
