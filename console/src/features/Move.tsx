import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { requirement } from '../api/permission-words.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasons } from '../ui/useReasons.ts';
import { type Feature, moveFeature } from './queries.ts';
import s from './tab.module.css';
import { listOf } from './words.ts';

/** Moves the flag to a different project, after showing which environments the flag gains and loses. */
export function Move({ feature }: { feature: Feature }) {
  const navigate = useNavigate();
  const [target, setTarget] = useState('');
  const [asked, ask] = useState(false);
  const others = (useQuery(projectsQuery).data ?? []).filter(({ id }) => id !== feature.project);
  const project = others.find(({ id }) => id === target);
  const missing = useMissingPermissions('changeProject', { project: target || undefined });
  const place = { projectId: feature.project, featureName: feature.name };
  const own = feature.environments.map(({ name }) => name);
  const lost = own.filter(name => !project?.environments.includes(name));
  const gained = project?.environments.filter(name => !own.includes(name)) ?? [];
  const reasons = useReasons(feature.project, target);
  const move = async (reason: string) => {
    await moveFeature(place, target, reason);
    toast({ message: `Moved ${feature.name} to ${project?.name ?? target}.` });
    await navigate({
      to: '/projects/$projectId/features/$featureName/settings',
      params: { projectId: target, featureName: feature.name },
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
              value={target}
              error={
                target !== '' && missing.length > 0 && `${project?.name ?? target}: ${requirement(missing)}`
              }
              data={[
                { value: '', label: 'Choose a project' },
                ...others.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={event => setTarget(event.target.value)}
            />
            <Can call="changeProject" project={feature.project}>
              <Button disabled={!project || missing.length > 0} onClick={() => ask(true)}>
                Move…
              </Button>
            </Can>
          </div>
        </div>
      </div>
      {asked && project && (
        <Confirm
          opened
          title={`Move ${feature.name} to ${project.name}?`}
          action="Move flag"
          reasons={reasons}
          onConfirm={move}
          onClose={() => ask(false)}
        >
          <p>
            The roles of {project.name} then decide who may change the flag. The server rejects a move that
            would change who gets the flag.
          </p>
          {gained.length > 0 && <p>The flag is added to {listOf(gained, 'and')}, disabled.</p>}
          {lost.length > 0 && <p>The flag loses its settings in {listOf(lost, 'and')}.</p>}
        </Confirm>
      )}
    </section>
  );
}
