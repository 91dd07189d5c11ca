import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { projectsQuery } from '../shell/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasons } from '../ui/useReasons.ts';
import { counted } from '../ui/words.ts';
import { ACTIONS, type BulkAction, runBulk } from './bulk.ts';
import type { Flag } from './queries.ts';

/** Asks before several flags change, for what the action needs, and shows its effect. */
export function BulkQuestion({
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
  const [, type = 'simple', value = ''] = /^(?:([^:]+):)?(.*)$/.exec(typedTag.trim()) ?? [];
  const { verb, done, danger } = ACTIONS[action];
  const reasons = useReasons(...flags.map(({ project }) => project), target);
  const several = counted(flags.length, 'flag');
  const isToggle = action === 'enable' || action === 'disable';
  const isProduction = environments.find(({ name }) => name === environment)?.type === 'production';
  const where = isToggle ? ` in ${environment}` : '';
  const isIncomplete =
    (action === 'tag' && value === '') ||
    (action === 'move' && target === '') ||
    (isToggle && environment === '');
  return (
    <Confirm
      opened
      title={`${verb} ${several}${where}?`}
      action={`${verb} ${several}${where}`}
      {...(danger && { danger })}
      disabled={isIncomplete}
      reasons={reasons}
      onConfirm={async reason => {
        await runBulk(action, flags, { environment, tag: { type, value }, target, reason });
        toast({ message: `${done} ${several}${where}.` });
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
      {action === 'move' && (
        <NativeSelect
          label="Move to"
          value={target}
          data={[
            { value: '', label: 'Choose a project' },
            ...projects.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={event => setTarget(event.target.value)}
          data-autofocus
        />
      )}
      <Effect action={action} isProduction={isProduction} flags={flags} environment={environment} />
      <p className="mono">{namesOf(flags)}</p>
    </Confirm>
  );
}

function Effect({
  action,
  isProduction,
  flags,
  environment,
}: {
  action: BulkAction;
  isProduction: boolean;
  flags: readonly Flag[];
  environment: string;
}) {
  const starting = flags.filter(
    flag => !flag.environments.find(({ name }) => name === environment)?.hasEnabledStrategies,
  ).length;
  if (action === 'enable')
    return (
      <p>
        {isProduction && 'Users in production get the flags immediately. '}
        {starting > 0 &&
          `${counted(starting, 'flag has', 'flags have')} no strategy there and ${starting === 1 ? 'starts' : 'start'} with the default strategy of the project.`}
      </p>
    );
  if (action === 'disable') return <p>Nobody gets the flags in {environment} afterwards.</p>;
  if (action === 'archive') return <p>SDKs no longer receive archived flags. You can revive them later.</p>;
  if (action === 'revive') return <p>Revived flags are disabled in every environment and have no parents.</p>;
  if (action === 'delete')
    return (
      <p>Deleted flags cannot be restored. Their names become available again, and their events remain.</p>
    );
  if (action === 'move')
    return (
      <p>
        The flags move one by one. The server rejects a move that would change who gets a flag, and the
        following flags stay.
      </p>
    );
  return null;
}

const SHOWN = 12;
const namesOf = (flags: readonly Flag[]): string =>
  flags.length > SHOWN
    ? `${flags
        .slice(0, SHOWN)
        .map(flag => flag.name)
        .join(', ')} and ${flags.length - SHOWN} more`
    : flags.map(flag => flag.name).join(', ');
