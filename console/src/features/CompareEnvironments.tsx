import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { Audience } from './Audience.tsx';
import { type CopyEffect, copyEffect, differing } from './copy-effect.ts';
import { copyWithUndo } from './copy-environment.ts';
import s from './features.module.css';
import type { Feature, FeatureEnvironment } from './queries.ts';
import { VariantShares } from './VariantShares.tsx';

/** Two environments next to each other, and a button that copies one into the other. */
export function CompareEnvironments({
  feature,
  environment: to,
  other: from,
  segmentNames,
  onChoose,
  onClose,
}: {
  feature: Feature;
  environment: FeatureEnvironment;
  other: FeatureEnvironment;
  segmentNames: ReadonlyMap<number, string>;
  onChoose(environment: string): void;
  onClose(): void;
}) {
  const client = useQueryClient();
  const [pending, setPending] = useState(false);
  const [asked, setAsked] = useState(false);
  const place = { projectId: feature.project, featureName: feature.name, environment: to.name };
  const effect = copyEffect(from, to);
  const copy = async () => {
    setPending(true);
    try {
      const undo = await copyWithUndo(client, place, from, to);
      toast({
        message: `Copied ${from.name} to ${to.name}: ${effect?.did}.`,
        ...(undo && { action: { label: 'Undo', run: () => void undo().catch(toastError) } }),
      });
      onClose();
    } finally {
      setPending(false);
    }
  };
  const start = () => {
    if (to.type === 'production' || effect?.disables) setAsked(true);
    else void copy().catch(toastError);
  };
  return (
    <SidePanel title={`Compare ${to.name} with another environment`} wide isAsking={asked} onClose={onClose}>
      <NativeSelect
        label="Compare with"
        value={from.name}
        data={feature.environments.map(one => one.name).filter(name => name !== to.name)}
        onChange={event => onChoose(event.target.value)}
      />
      <div className={s.compare}>
        <Side environment={from} other={to} kind="added" segmentNames={segmentNames} />
        <Side environment={to} other={from} kind="removed" segmentNames={segmentNames} />
      </div>
      <Effect effect={effect} from={from} to={to} />
      <Can call="copyFeatureEnvironment" project={feature.project} environment={to.name}>
        <Button loading={pending} disabled={!effect} onClick={start}>
          Copy {from.name} to {to.name}
          {to.type === 'production' && '…'}
        </Button>
      </Can>
      {effect && (
        <Confirm
          opened={asked}
          title={`Copy ${from.name} to ${to.name}?`}
          action={`Copy to ${to.name}`}
          danger={effect.removes || effect.disables}
          onConfirm={copy}
          onClose={() => setAsked(false)}
        >
          <Effect effect={effect} from={from} to={to} />
        </Confirm>
      )}
    </SidePanel>
  );
}

/** The effect of a copy in words, and whether the flag stays enabled. */
function Effect({
  effect,
  from,
  to,
}: {
  effect: CopyEffect | undefined;
  from: FeatureEnvironment;
  to: FeatureEnvironment;
}) {
  if (!effect)
    return (
      <p className="muted">
        {to.name} already has the strategies and variants of {from.name}.
      </p>
    );
  return (
    <p>
      Copying {effect.does} in {to.name}.{' '}
      {effect.disables
        ? `${from.name} has no enabled strategy, so nobody gets the flag in ${to.name} afterwards.`
        : `The flag stays ${to.enabled ? 'enabled' : 'disabled'} in ${to.name}.`}
    </p>
  );
}

/** One environment. What only it has is marked as a copy would add it, or remove it. */
function Side({
  environment,
  other,
  kind,
  segmentNames,
}: {
  environment: FeatureEnvironment;
  other: FeatureEnvironment;
  kind: 'added' | 'removed';
  segmentNames: ReadonlyMap<number, string>;
}) {
  const different = differing(environment, other);
  const hasOtherVariants = JSON.stringify(environment.variants) !== JSON.stringify(other.variants);
  const word = <span className="sr">Only in {environment.name}: </span>;
  return (
    <div>
      <h3>
        {environment.name} <span className="muted">{environment.enabled ? 'enabled' : 'disabled'}</span>
      </h3>
      <ul className={s.audiences}>
        {environment.strategies.map(strategy => (
          <li key={strategy.id} data-kind={different.has(strategy.id) ? kind : undefined}>
            {different.has(strategy.id) && word}
            {strategy.title && <span className="muted">{strategy.title}: </span>}
            <Audience strategy={strategy} segmentNames={segmentNames} />
            <VariantShares variants={strategy.variants} />
          </li>
        ))}
        {environment.strategies.length === 0 && <li data-none="">No strategy</li>}
      </ul>
      <div data-kind={hasOtherVariants ? kind : undefined}>
        {hasOtherVariants && environment.variants.length > 0 && word}
        <VariantShares variants={environment.variants} />
      </div>
    </div>
  );
}
