import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { Audience } from './Audience.tsx';
import { type CopyEffect, describeCopyEffect, listDifferingIds } from './copy-effect.ts';
import { copyWithUndo } from './copy-environment.ts';
import s from './features.module.css';
import type { Feature, FeatureEnvironment } from './queries.ts';
import { VariantShares } from './VariantShares.tsx';

/** Shows two environments side by side, and can copy one to the other. */
export function CompareEnvironments({
  feature,
  environment: target,
  other: source,
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
  const [isPending, setPending] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const path = { projectId: feature.project, featureName: feature.name, environment: target.name };
  const effect = describeCopyEffect(source, target);
  const copy = async () => {
    setPending(true);
    try {
      const undo = await copyWithUndo(client, path, source, target);
      toast({
        message: `Copied ${source.name} to ${target.name}: ${effect?.past}.`,
        ...(undo && { action: { label: 'Undo', run: () => void undo().catch(toastError) } }),
      });
      onClose();
    } finally {
      setPending(false);
    }
  };
  const start = () => {
    if (target.type === 'production' || effect?.disablesFlag) setConfirming(true);
    else void copy().catch(toastError);
  };
  return (
    <SidePanel
      title={`Compare ${target.name} with another environment`}
      wide
      isConfirming={isConfirming}
      onClose={onClose}
    >
      <NativeSelect
        label="Compare with"
        value={source.name}
        data={feature.environments.map(({ name }) => name).filter(name => name !== target.name)}
        onChange={event => onChoose(event.target.value)}
      />
      <div className={s.compare}>
        <Side environment={source} other={target} kind="added" segmentNames={segmentNames} />
        <Side environment={target} other={source} kind="removed" segmentNames={segmentNames} />
      </div>
      <Effect effect={effect} source={source} target={target} />
      <Can call="copyFeatureEnvironment" project={feature.project} environment={target.name}>
        <Button loading={isPending} disabled={!effect} onClick={start}>
          Copy {source.name} to {target.name}
          {target.type === 'production' && '…'}
        </Button>
      </Can>
      {effect && (
        <Confirm
          opened={isConfirming}
          title={`Copy ${source.name} to ${target.name}?`}
          action={`Copy to ${target.name}`}
          danger={effect.removesStrategies || effect.disablesFlag}
          onConfirm={copy}
          onClose={() => setConfirming(false)}
        >
          <Effect effect={effect} source={source} target={target} />
        </Confirm>
      )}
    </SidePanel>
  );
}

/** Describes the effect of a copy, and whether the flag stays enabled. */
function Effect({
  effect,
  source,
  target,
}: {
  effect: CopyEffect | undefined;
  source: FeatureEnvironment;
  target: FeatureEnvironment;
}) {
  if (!effect)
    return (
      <p className="muted">
        {target.name} already has the strategies and variants of {source.name}.
      </p>
    );
  return (
    <p>
      Copying {effect.present} in {target.name}.{' '}
      {effect.disablesFlag
        ? `${source.name} has no enabled strategy, so after that, nobody gets the flag in ${target.name}.`
        : `The flag stays ${target.enabled ? 'enabled' : 'disabled'} in ${target.name}.`}
    </p>
  );
}

/** Shows one environment, and marks what the other environment lacks, because a copy would add or remove it. */
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
  const uniqueIds = listDifferingIds(environment, other);
  const hasOtherVariants = JSON.stringify(environment.variants) !== JSON.stringify(other.variants);
  const screenReaderLabel = <span className="sr">Only in {environment.name}: </span>;
  return (
    <div>
      <h3>
        {environment.name} <span className="muted">{environment.enabled ? 'enabled' : 'disabled'}</span>
      </h3>
      <ul className={s.audiences}>
        {environment.strategies.map(strategy => (
          <li key={strategy.id} data-kind={uniqueIds.has(strategy.id) ? kind : undefined}>
            {uniqueIds.has(strategy.id) && screenReaderLabel}
            {strategy.title && <span className="muted">{escapeText(strategy.title)}: </span>}
            <Audience strategy={strategy} segmentNames={segmentNames} />
            <VariantShares variants={strategy.variants} />
          </li>
        ))}
        {environment.strategies.length === 0 && <li data-none="">No strategy</li>}
      </ul>
      <div data-kind={hasOtherVariants ? kind : undefined}>
        {hasOtherVariants && environment.variants.length > 0 && screenReaderLabel}
        <VariantShares variants={environment.variants} />
      </div>
    </div>
  );
}
