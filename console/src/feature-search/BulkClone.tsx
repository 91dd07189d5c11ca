import { NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/keys.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { readLastProject } from '../ui/preferences.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { toast } from '../ui/toasts.ts';
import { formatCount } from '../ui/words.ts';
import { cloneFlags, type Flag, MAX_CLONED, planClones } from './queries.ts';
import s from './search.module.css';

const MAX_SHOWN = 8;

/** Copies the flags into a project and adds a suffix to each name. The server plans the copies first. */
export function BulkClone({
  flags,
  onClose,
  onDone,
}: {
  flags: readonly Flag[];
  onClose(): void;
  onDone(): void;
}) {
  const projects = useQuery(projectsQuery).data ?? [];
  const [target, setTarget] = useState(flags[0]?.project ?? readLastProject() ?? '');
  const [suffix, setSuffix] = useState('-copy');
  const flagCount = formatCount(flags.length, 'flag');
  const copies = flags.map(({ name }) => ({ feature: name, name: name + suffix.trim() }));
  const exceedsLimit = flags.length > MAX_CLONED;
  const plan = useQuery({
    queryKey: keys.bulkClonePlan(target, copies),
    queryFn: ({ signal }) => planClones(target, copies, signal),
    enabled: target !== '' && suffix.trim() !== '' && !exceedsLimit,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  const planId = plan.isPlaceholderData ? null : (plan.data?.planId ?? null);
  const targetName = projects.find(({ id }) => id === target)?.name ?? target;
  return (
    <Confirm
      opened
      title={`Clone ${flagCount}?`}
      action={`Clone ${flagCount}`}
      disabled={planId === null || suffix.trim() === ''}
      onConfirm={async () => {
        await cloneFlags(target, copies, planId ?? '');
        toast({
          message: `Cloned ${flagCount} into ${targetName}. The copies are disabled in every environment.`,
        });
        onDone();
      }}
      onClose={onClose}
    >
      <NativeSelect
        label="Clone into"
        value={target}
        data={toProjectOptions(projects)}
        onChange={event => setTarget(event.target.value)}
      />
      <TextInput
        label="Suffix for the new names"
        classNames={{ input: 'mono' }}
        maxLength={50}
        autoComplete="off"
        spellCheck={false}
        value={suffix}
        onChange={event => setSuffix(event.target.value)}
        data-autofocus
      />
      <FormErrors messages={listObstacles(plan, exceedsLimit)} />
      <p>The copies are disabled in every environment.</p>
      <ul className={s.copies}>
        {copies.slice(0, MAX_SHOWN).map(({ feature, name }) => (
          <li key={feature} className="mono">
            {feature} → {name}
          </li>
        ))}
        {copies.length > MAX_SHOWN && <li>and {copies.length - MAX_SHOWN} more</li>}
      </ul>
    </Confirm>
  );
}

function listObstacles(
  { data, error }: { data: Awaited<ReturnType<typeof planClones>> | undefined; error: Error | null },
  exceedsLimit: boolean,
): string[] {
  if (exceedsLimit) return [`At most ${MAX_CLONED} flags can be cloned at a time. Select fewer.`];
  if (error) return [error.message];
  return data?.obstacles.map(({ message }) => message) ?? [];
}
