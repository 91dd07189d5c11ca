import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { Audience } from './Audience.tsx';
import s from './features.module.css';
import { copyEnvironment, type Feature, type FeatureEnvironment, refresh } from './queries.ts';

/** Two environments next to each other, and a button that copies one into the other. */
export function CompareEnvironments({
  feature,
  environment,
  segmentNames,
  onClose,
}: {
  feature: Feature;
  environment: string;
  segmentNames: ReadonlyMap<number, string>;
  onClose(): void;
}) {
  const client = useQueryClient();
  const others = feature.environments.filter(one => one.name !== environment);
  const [from, setFrom] = useState(others[0]?.name ?? '');
  const [pending, setPending] = useState(false);
  const find = (name: string) => feature.environments.find(one => one.name === name);
  const place = { projectId: feature.project, featureName: feature.name, environment };
  const copy = async () => {
    setPending(true);
    try {
      await copyEnvironment(place, from);
      await refresh(client, place);
      toast({ message: `${environment} now has the strategies and variants of ${from}.` });
      onClose();
    } finally {
      setPending(false);
    }
  };
  return (
    <SidePanel title={`Compare ${environment} with another environment`} wide onClose={onClose}>
      <NativeSelect
        label="Compare with"
        value={from}
        data={others.map(one => one.name)}
        onChange={event => setFrom(event.target.value)}
      />
      <div className={s.compare}>
        <Side environment={find(from)} segmentNames={segmentNames} />
        <Side environment={find(environment)} segmentNames={segmentNames} />
      </div>
      <p className="muted">
        Copying replaces the strategies and variants of {environment} by those of {from}. Whether the flag is
        enabled stays as it is.
      </p>
      <Can call="copyFeatureEnvironment" project={feature.project} environment={environment}>
        <Button variant="filled" loading={pending} onClick={() => void copy().catch(toastError)}>
          Copy {from} to {environment}
        </Button>
      </Can>
    </SidePanel>
  );
}

function Side({
  environment,
  segmentNames,
}: {
  environment: FeatureEnvironment | undefined;
  segmentNames: ReadonlyMap<number, string>;
}) {
  if (!environment) return null;
  return (
    <div>
      <h3>
        {environment.name} <span className="muted">{environment.enabled ? 'enabled' : 'disabled'}</span>
      </h3>
      <ul className={s.audiences}>
        {environment.strategies.map(strategy => (
          <li key={strategy.id}>
            {strategy.title && <span className="muted">{strategy.title}: </span>}
            <Audience strategy={strategy} segmentNames={segmentNames} />
          </li>
        ))}
        {environment.strategies.length === 0 && <li data-none="">No strategy</li>}
      </ul>
    </div>
  );
}
