import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { Env } from '../ui/Env.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Time } from '../ui/Time.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { Audience } from './Audience.tsx';
import s from './features.module.css';
import { type Feature, type FeatureEnvironment, setEnabled } from './queries.ts';
import { audienceOf, textOf } from './words.ts';

/** One card per environment: toggle, audience in words, last request of an SDK. A click selects the environment. */
export function EnvironmentCards({
  feature,
  selected,
  segmentNames,
  onSelect,
}: {
  feature: Feature;
  selected: string | undefined;
  segmentNames: ReadonlyMap<number, string>;
  onSelect(environment: string): void;
}) {
  return (
    <div className={s.cards}>
      {feature.environments.map((environment, index) => (
        <Card
          key={environment.name}
          number={index + 1}
          feature={feature}
          environment={environment}
          segmentNames={segmentNames}
          isSelected={environment.name === selected}
          onSelect={() => onSelect(environment.name)}
        />
      ))}
    </div>
  );
}

const MAX_NUMBER = 9;

function Card({
  number,
  feature,
  environment,
  segmentNames,
  isSelected,
  onSelect,
}: {
  number: number;
  feature: Feature;
  environment: FeatureEnvironment;
  segmentNames: ReadonlyMap<number, string>;
  isSelected: boolean;
  onSelect(): void;
}) {
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const { name, type, enabled, strategies, lastSeenAt } = environment;
  const place = { projectId: feature.project, featureName: feature.name, environment: name };
  const call = enabled ? 'disableFeature' : 'enableFeature';
  const missing = useMissingPermissions(call, { project: feature.project, environment: name });
  const active = strategies.filter(strategy => !strategy.disabled);

  const toggle = async (next: boolean) => {
    setAsked(false);
    await setEnabled(client, place, next);
    toast({
      message: `${feature.name} is ${next ? 'enabled' : 'disabled'} in ${name}.`,
      action: { label: 'Undo', run: () => void setEnabled(client, place, !next).catch(toastError) },
    });
  };
  const start = () => {
    if (feature.archived || missing.length > 0) return;
    if (type === 'production') setAsked(true);
    else void toggle(!enabled).catch(toastError);
  };
  useShortcuts([
    number <= MAX_NUMBER && { keys: String(number), description: `Toggle in ${name}`, run: start },
  ]);
  return (
    <section className={s.card} data-selected={isSelected || undefined} aria-label={name}>
      <header>
        <button type="button" className={s.select} aria-pressed={isSelected} onClick={onSelect}>
          <Env name={name} type={type} />
        </button>
        <span className={s.onOff} data-on={enabled || undefined}>
          {enabled ? 'Enabled' : 'Disabled'}
        </span>
        <Toggle
          large
          checked={enabled}
          label={`Enabled in ${name}`}
          missing={missing}
          disabled={feature.archived}
          onChange={start}
        />
      </header>
      {asked ? (
        <div className={s.ask} role="alertdialog" aria-label={`Confirm in ${name}`}>
          <p>
            {enabled ? 'Disable' : 'Enable'} in {name} for {audienceText(active, segmentNames)}?
          </p>
          <Button
            variant="filled"
            color={enabled ? 'red' : undefined}
            onClick={() => void toggle(!enabled).catch(toastError)}
            autoFocus
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button onClick={() => setAsked(false)}>Cancel</Button>
        </div>
      ) : (
        <ul className={s.audiences}>
          {active.map(strategy => (
            <li key={strategy.id}>
              <Audience strategy={strategy} segmentNames={segmentNames} />
            </li>
          ))}
          {active.length === 0 && <li data-none="">No strategy. Nobody gets the flag.</li>}
        </ul>
      )}
      <footer>
        <Radio size={13} aria-hidden="true" />
        {lastSeenAt ? (
          <>
            seen <Time at={lastSeenAt} />
          </>
        ) : (
          'never seen by an SDK'
        )}
      </footer>
    </section>
  );
}

function audienceText(
  strategies: readonly FeatureEnvironment['strategies'][number][],
  segmentNames: ReadonlyMap<number, string>,
): string {
  if (strategies.length === 0) return 'everyone, with a default strategy';
  return strategies
    .map(one => textOf(audienceOf(one, segmentNames)).replace(/^Everyone/, 'everyone'))
    .join(' or ');
}
