import { Button } from '@mantine/core';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { counted } from '../ui/words.ts';
import { BulkClone } from './BulkClone.tsx';
import { BulkQuestion } from './BulkQuestion.tsx';
import { ACTIONS, type BulkAction, OF_ACTIVE, OF_ARCHIVED } from './bulk.ts';
import type { Flag } from './queries.ts';
import s from './search.module.css';

/** The actions on the selected flags. Each action shows its effect first. */
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
  const isArchived = flags.every(flag => flag.archivedAt !== undefined);
  return (
    <section className={s.bulk} aria-label="Selected flags">
      <b>{counted(flags.length, 'flag')} selected</b>
      {(isArchived ? OF_ARCHIVED : OF_ACTIVE).map(one => (
        <Can key={one} call={ACTIONS[one].call} project={project}>
          <Button onClick={() => setAction(one)}>{ACTIONS[one].button}</Button>
        </Can>
      ))}
      {!isArchived && (
        // The copies may go to a different project.
        <Can call="cloneFeatures">
          <Button onClick={() => setCloning(true)}>Clone…</Button>
        </Can>
      )}
      <Button variant="subtle" onClick={onDone}>
        Clear
      </Button>
      {isCloning && <BulkClone flags={flags} onClose={() => setCloning(false)} onDone={onDone} />}
      {action && (
        <BulkQuestion
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
