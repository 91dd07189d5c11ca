import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { can } from '../../api/can.ts';
import { useMe } from '../../api/me.ts';
import { Failure } from '../../ui/Failure.tsx';
import { SecondNavigation } from '../../ui/SecondNavigation.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { ProjectPage } from '../Frame.tsx';
import { countsQuery, type ProjectDetails, projectQuery } from '../queries.ts';
import { accessQuery } from './queries.ts';

/** A project settings page, with the settings navigation. */
export function SettingsPage({ children }: { children(project: ProjectDetails, etag: string): ReactNode }) {
  const { projectId = '' } = useParams({ strict: false });
  const me = useMe();
  const { data, error, refetch } = useQuery(projectQuery(projectId));
  const counts = useQuery(countsQuery(projectId)).data;
  const canReadAccess = can(me, 'getProjectAccess', { project: projectId });
  const access = useQuery({ ...accessQuery(projectId), enabled: canReadAccess }).data;
  const base = `/projects/${encodeURIComponent(projectId)}/settings`;
  return (
    <ProjectPage projectId={projectId} part="Settings">
      <SecondNavigation
        label="Settings"
        groups={[
          {
            items: [
              { to: base, label: 'General' },
              { to: `${base}/environments`, label: 'Environments', count: data?.project.environments.length },
              {
                to: `${base}/access`,
                label: 'Access',
                count: access && access.users.length + access.groups.length,
              },
              { to: `${base}/tokens`, label: 'API tokens', count: counts?.apiTokens },
              { to: `${base}/naming`, label: 'Rules and limits' },
              { to: `${base}/danger`, label: 'Danger zone' },
            ],
          },
        ]}
      >
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !data && <Skeleton />}
        {data && children(data.project, data.etag)}
      </SecondNavigation>
    </ProjectPage>
  );
}
