import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { describeMissingPermissions } from '../api/permission-words.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { toast } from '../ui/toasts.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { type Feature, moveFeature } from './queries.ts';
import s from './tab.module.css';
import { formatList } from './words.ts';

/** Moves the flag to a different project, after showing which environments it gains and loses. */
export function Move({ feature }: { feature: Feature }) {
  const navigate = useNavigate();
  const [targetId, setTargetId] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const projects = useQuery(projectsQuery).data ?? [];
  const otherProjects = projects.filter(({ id }) => id !== feature.project);
  const project = otherProjects.find(({ id }) => id === targetId);
  const missingPermissions = useMissingPermissions('changeProject', { project: targetId || undefined });
  const path = { projectId: feature.project, featureName: feature.name };
  const environments = feature.environments.map(({ name }) => name);
  const lostEnvironments = environments.filter(name => !project?.environments.includes(name));
  const gainedEnvironments = project?.environments.filter(name => !environments.includes(name)) ?? [];
  const reasonRule = useReasonRule(feature.project, targetId);
  const move = async (reason: string) => {
    await moveFeature(path, targetId, reason);
    toast({ message: `Moved ${feature.name} to ${project?.name ?? targetId}.` });
    await navigate({
      to: '/projects/$projectId/features/$featureName/settings',
      params: { projectId: targetId, featureName: feature.name },
    });
  };
  return (
    <section aria-label="Project">
      <header>
        <h2>Project</h2>
        <span className="muted">The flag keeps its strategies, variants, tags and links</span>
      </header>
      <div className={s.card}>
        <div className={s.fields}>
          <div className={s.choice}>
            <NativeSelect
              label="Move to"
              value={targetId}
              error={
                targetId !== '' &&
                missingPermissions.length > 0 &&
                `${project?.name ?? targetId}: ${describeMissingPermissions(missingPermissions)}`
              }
              data={[
                { value: '', label: 'Choose a project' },
                ...toProjectOptions(projects).filter(({ value }) => value !== feature.project),
              ]}
              onChange={event => setTargetId(event.target.value)}
            />
            <Can call="changeProject" project={feature.project}>
              <Button
                disabled={!project || missingPermissions.length > 0}
                onClick={() => setConfirming(true)}
              >
                Move…
              </Button>
            </Can>
          </div>
        </div>
      </div>
      {isConfirming && project && (
        <Confirm
          opened
          title={`Move ${feature.name} to ${project.name}?`}
          action="Move flag"
          reasonRule={reasonRule}
          onConfirm={move}
          onClose={() => setConfirming(false)}
        >
          <p>
            After that, the roles of {escapeText(project.name)} decide who may change the flag. The server
            rejects a move that would change who gets the flag.
          </p>
          {gainedEnvironments.length > 0 && (
            <p>The flag is added to {formatList(gainedEnvironments, 'and')}, where it is disabled.</p>
          )}
          {lostEnvironments.length > 0 && (
            <p>The flag loses its settings in {formatList(lostEnvironments, 'and')}.</p>
          )}
        </Confirm>
      )}
    </section>
  );
}
