import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OwnerSelect } from '../features/OwnerSelect.tsx';
import type { Candidate } from '../features/owner-queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { toProjectOptions } from '../ui/project-options.ts';
import { toast } from '../ui/toasts.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { formatCount } from '../ui/words.ts';
import { ACTIONS, type BulkAction, runBulk } from './bulk.ts';
import type { Flag } from './queries.ts';

/** Asks for confirmation before several flags change. Shows the effect and the fields that the action needs. */
export function BulkConfirmation({
  action,
  flags,
  environments,
  onClose,
  onDone,
}: {
  action: BulkAction;
  flags: readonly Flag[];
  environments: readonly { name: string; type: string }[];
  onClose(): void;
  onDone(): void;
}) {
  const projects = useQuery(projectsQuery).data ?? [];
  const [typedTag, setTag] = useState('');
  const [environment, setEnvironment] = useState(environments[0]?.name ?? '');
  const [target, setTarget] = useState('');
  const [owner, setOwner] = useState<Candidate>();
  const [, type = 'simple', value = ''] = /^(?:([^:]+):)?(.*)$/.exec(typedTag.trim()) ?? [];
  const { verb, done, suffix = '', danger } = ACTIONS[action];
  const reasonRule = useReasonRule(...flags.map(({ project }) => project), target);
  const flagCount = formatCount(flags.length, 'flag');
  const isToggle = action === 'enable' || action === 'disable';
  const ending = isToggle ? ` in ${environment}` : suffix;
  const isIncomplete =
    (action === 'tag' && value === '') ||
    (action === 'move' && target === '') ||
    (action === 'owner' && owner === undefined) ||
    (isToggle && environment === '');
  return (
    <Confirm
      opened
      title={`${verb} ${flagCount}${ending}?`}
      action={`${verb} ${flagCount}${ending}`}
      {...(danger && { danger })}
      disabled={isIncomplete}
      reasonRule={reasonRule}
      onConfirm={async reason => {
        await runBulk(action, flags, { environment, tag: { type, value }, target, owner, reason });
        toast({ message: `${done} ${flagCount}${ending}.` });
        onDone();
      }}
      onClose={onClose}
    >
      {isToggle && (
        <NativeSelect
          label="Environment"
          value={environment}
          data={environments.map(({ name }) => name)}
          onChange={event => setEnvironment(event.target.value)}
          data-autofocus
        />
      )}
      {action === 'tag' && (
        <TextInput
          label="Tag"
          description="A type and a value, such as simple:q4. The default type is simple."
          value={typedTag}
          onChange={event => setTag(event.target.value)}
          data-autofocus
        />
      )}
      {action === 'owner' && <OwnerSelect selected={owner} onChoose={setOwner} />}
      {action === 'move' && (
        <NativeSelect
          label="Move to"
          value={target}
          data={[{ value: '', label: 'Choose a project' }, ...toProjectOptions(projects)]}
          onChange={event => setTarget(event.target.value)}
          data-autofocus
        />
      )}
      <Effect action={action} environments={environments} flags={flags} environment={environment} />
      <p className="mono">{formatNames(flags)}</p>
    </Confirm>
  );
}

function Effect({
  action,
  environments,
  flags,
  environment,
}: {
  action: BulkAction;
  environments: readonly { name: string; type: string }[];
  flags: readonly Flag[];
  environment: string;
}) {
  const productionEnvironments = environments
    .filter(({ type }) => type === 'production')
    .map(({ name }) => name);
  const isProduction = productionEnvironments.includes(environment);
  const countEnabledIn = (...names: string[]) =>
    flags.filter(flag => flag.environments.some(({ name, enabled }) => enabled && names.includes(name)))
      .length;
  const withoutStrategies = flags.filter(
    flag => !flag.environments.find(({ name }) => name === environment)?.hasEnabledStrategies,
  ).length;
  if (action === 'enable')
    return (
      <p>
        {isProduction && 'Users in production get the flags immediately. '}
        {withoutStrategies > 0 &&
          `${formatCount(withoutStrategies, 'flag has', 'flags have')} no strategy there and ${withoutStrategies === 1 ? 'starts' : 'start'} with the project's default strategy.`}
      </p>
    );
  if (action === 'disable') {
    const enabledCount = countEnabledIn(environment);
    if (enabledCount === 0) return <p>None of the flags is enabled in {environment}.</p>;
    return (
      <p>
        After that, nobody gets the flags in {environment}.
        {enabledCount < flags.length &&
          ` ${formatCount(flags.length - enabledCount, 'flag is', 'flags are')} already disabled there.`}
      </p>
    );
  }
  if (action === 'archive') {
    const enabledInProduction = countEnabledIn(...productionEnvironments);
    return (
      <p>
        SDKs no longer receive archived flags. You can revive them later.
        {enabledInProduction > 0 &&
          ` ${enabledInProduction} of ${formatCount(flags.length, 'flag')} ${enabledInProduction === 1 ? 'is' : 'are'} enabled in production.`}
      </p>
    );
  }
  if (action === 'revive') return <p>Revived flags are disabled in every environment and have no parents.</p>;
  if (action === 'delete')
    return (
      <p>Deleted flags cannot be restored. Their names become available again, and their events remain.</p>
    );
  if (action === 'move')
    return (
      <p>
        The flags are moved one by one. If the server rejects a move because it would change who gets a flag,
        the remaining flags stay.
      </p>
    );
  return null;
}

const MAX_SHOWN = 12;
const formatNames = (flags: readonly Flag[]): string =>
  flags.length > MAX_SHOWN
    ? `${flags
        .slice(0, MAX_SHOWN)
        .map(flag => flag.name)
        .join(', ')} and ${flags.length - MAX_SHOWN} more`
    : flags.map(flag => flag.name).join(', ');
