import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { formatCount } from '../ui/words.ts';
import { BulkClone } from './BulkClone.tsx';
import { BulkConfirmation } from './BulkConfirmation.tsx';
import { ACTIONS, ACTIVE_ACTIONS, ARCHIVED_ACTIONS, type BulkAction } from './bulk.ts';
import type { Flag } from './queries.ts';
import s from './search.module.css';

/** The actions for the selected flags. Each action shows its effect before it runs. */
export function BulkBar({
  flags,
  environments,
  onDone,
}: {
  flags: readonly Flag[];
  environments: readonly { name: string; type: string }[];
  onDone(): void;
}) {
  const [action, setAction] = useState<BulkAction>();
  const [isCloning, setCloning] = useState(false);
  const project = new Set(flags.map(flag => flag.project)).size === 1 ? flags[0]?.project : undefined;
  const bar = useRef<HTMLElement>(null);
  // A shortcut, because Tab would go through every control of the list first.
  useShortcuts([
    {
      keys: 'b',
      description: 'Go to the actions for the selected flags',
      run: () => bar.current?.querySelector('button')?.focus(),
    },
  ]);
  const isArchived = flags.every(flag => flag.archivedAt !== undefined);
  return (
    <section ref={bar} className={s.bulk} aria-label="Selected flags">
      <b>{formatCount(flags.length, 'flag')} selected</b>
      {(isArchived ? ARCHIVED_ACTIONS : ACTIVE_ACTIONS).map(bulkAction => (
        <Can key={bulkAction} call={ACTIONS[bulkAction].call} project={project}>
          <Button onClick={() => setAction(bulkAction)}>{ACTIONS[bulkAction].button}</Button>
        </Can>
      ))}
      {!isArchived && (
        // Without `project`, because the copies may go to a different project.
        <Can call="cloneFeatures">
          <Button onClick={() => setCloning(true)}>Clone…</Button>
        </Can>
      )}
      <Button variant="subtle" onClick={onDone}>
        Clear
      </Button>
      {isCloning && <BulkClone flags={flags} onClose={() => setCloning(false)} onDone={onDone} />}
      {action && (
        <BulkConfirmation
          action={action}
          flags={flags}
          environments={environments}
          onClose={() => setAction(undefined)}
          onDone={onDone}
        />
      )}
    </section>
  );
}
