import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Radio, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { ReachLine } from '../events/ReachLine.tsx';
import { useRegisterActions } from '../ui/actions.ts';
import { Env } from '../ui/Env.tsx';
import { isOffline } from '../ui/offline.ts';
import { Person } from '../ui/Person.tsx';
import { lacksReason, Reason } from '../ui/Reason.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Time } from '../ui/Time.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { Audience } from './Audience.tsx';
import s from './features.module.css';
import { type Block, findBlocks } from './parents.ts';
import { type Feature, type FeatureEnvironment, lastChangeQuery, useParents } from './queries.ts';
import { toastFailedToggle, toggleWithUndo } from './toggle.ts';
import { VariantShares } from './VariantShares.tsx';
import { describeEnvironmentAudience } from './words.ts';

/** Shows a card for each environment with its toggle, audience, last change and last SDK request. A click selects the environment. */
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
  const parents = useParents(feature);
  return (
    <div className={s.cards}>
      {feature.environments.map((environment, index) => (
        <Card
          key={environment.name}
          number={index + 1}
          feature={feature}
          environment={environment}
          segmentNames={segmentNames}
          blocks={findBlocks(feature.dependencies, parents, environment.name)}
          isSelected={environment.name === selected}
          onSelect={() => onSelect(environment.name)}
        />
      ))}
    </div>
  );
}

const MAX_SHORTCUT_NUMBER = 9;

function Card({
  number,
  feature,
  environment,
  segmentNames,
  blocks,
  isSelected,
  onSelect,
}: {
  number: number;
  feature: Feature;
  environment: FeatureEnvironment;
  segmentNames: ReadonlyMap<number, string>;
  blocks: readonly Block[];
  isSelected: boolean;
  onSelect(): void;
}) {
  const client = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const { name, type, enabled, strategies, lastSeenAt } = environment;
  const path = { projectId: feature.project, featureName: feature.name, environment: name };
  const call = enabled ? 'disableFeature' : 'enableFeature';
  const missingPermissions = useMissingPermissions(call, { project: feature.project, environment: name });
  const { data: change } = useQuery(lastChangeQuery(path));
  const activeStrategies = strategies.filter(strategy => !strategy.disabled);
  const stateLabel = feature.archived ? 'Archived' : enabled ? 'Enabled' : 'Disabled';

  const card = useRef<HTMLElement>(null);
  const closeConfirmation = () => {
    setConfirming(false);
    card.current?.querySelector('input')?.focus();
  };
  const reasonRule = useReasonRule(feature.project);
  const [reason, setReason] = useState('');
  const toggle = () => {
    setReason('');
    void toggleWithUndo(client, path, !enabled, reason).catch(toastFailedToggle(path, !enabled));
  };
  const confirm = () => {
    if (lacksReason(reasonRule, reason)) return;
    closeConfirmation();
    toggle();
  };
  const start = () => {
    if (feature.archived || missingPermissions.length > 0 || isOffline()) return;
    if (type === 'production') setConfirming(true);
    else toggle();
  };
  useRegisterActions([
    !feature.archived &&
      missingPermissions.length === 0 && {
        label: `${enabled ? 'Disable' : 'Enable'} ${feature.name} in ${name}${type === 'production' ? '…' : ''}`,
        run: start,
      },
  ]);
  useShortcuts([
    number <= MAX_SHORTCUT_NUMBER && { keys: String(number), description: `Toggle in ${name}`, run: start },
  ]);
  return (
    <section
      ref={card}
      className={s.card}
      data-selected={isSelected || undefined}
      data-quiet={feature.archived || !enabled || blocks.length > 0 || undefined}
      aria-label={name}
    >
      <header>
        <button type="button" className={s.select} aria-pressed={isSelected} onClick={onSelect}>
          <Env name={name} type={type} />
        </button>
        <span className={s.onOff} data-on={enabled || undefined}>
          {stateLabel}
        </span>
        <Toggle
          large
          checked={enabled && !feature.archived}
          label={`Enabled in ${name}`}
          missingPermissions={missingPermissions}
          call={`${call} ${feature.project} ${name}`}
          disabled={feature.archived}
          onChange={start}
        />
      </header>
      {isConfirming ? (
        <div
          className={s.confirmation}
          role="alertdialog"
          aria-label={`Confirm in ${name}`}
          onKeyDown={event => event.key === 'Escape' && closeConfirmation()}
        >
          <p>
            {enabled ? 'Disable' : 'Enable'} in {name} for{' '}
            {describeEnvironmentAudience(strategies, segmentNames)}?
          </p>
          <Reason
            reasonRule={reasonRule}
            text={reason}
            onChange={setReason}
            onEnter={confirm}
            autoFocus={reasonRule === 'required'}
          />
          <Button
            variant="filled"
            color={enabled ? 'red' : undefined}
            disabled={lacksReason(reasonRule, reason)}
            onClick={confirm}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          {/* Cancel has the focus, because a key press meant for the page must not change what users get. */}
          <Button onClick={closeConfirmation} autoFocus={reasonRule !== 'required'}>
            Cancel
          </Button>
        </div>
      ) : (
        <ul className={s.audiences}>
          {!feature.archived &&
            activeStrategies.map(strategy => (
              <li key={strategy.id}>
                <Audience strategy={strategy} segmentNames={segmentNames} />
                <VariantShares variants={strategy.variants} />
              </li>
            ))}
          {(feature.archived || activeStrategies.length === 0) && (
            <li data-none="">
              {feature.archived
                ? 'Nobody gets the flag.'
                : "No strategy yet. Enabling the flag adds the project's default strategy."}
            </li>
          )}
          {!feature.archived && environment.variants.length > 0 && (
            <li>
              <VariantShares variants={environment.variants} />
            </li>
          )}
        </ul>
      )}
      {blocks.map(block => (
        <p key={block.parent} className={s.blocked}>
          <TriangleAlert size={14} aria-hidden="true" />
          <span>
            The parent{' '}
            <Link
              to="/projects/$projectId/features/$featureName"
              params={{ projectId: feature.project, featureName: block.parent }}
              className="mono"
            >
              {block.parent}
            </Link>{' '}
            {block.reason}
          </span>
        </p>
      ))}
      <footer>
        {change && (
          <span className={s.change}>
            <Person name={change.createdBy} size={18} />
            <Link to="/events/$eventId" params={{ eventId: String(change.id) }}>
              {change.createdBy}, <Time at={change.createdAt} />
            </Link>
          </span>
        )}
        {change && (
          <span className={s.reach}>
            <ReachLine eventId={change.id} brief />
          </span>
        )}
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
