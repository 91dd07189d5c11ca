import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { counted } from '../ui/words.ts';
import { addTag, archive, type Flag, markStale, type Selected } from './queries.ts';
import s from './search.module.css';

type Action = 'stale' | 'active' | 'tag' | 'archive';

/** The API changes the flags of one project at a time. */
function byProject(flags: readonly Flag[]): Selected[] {
  const names = Map.groupBy(flags, flag => flag.project);
  return [...names].map(([project, own]) => ({ project, names: own.map(flag => flag.name) }));
}

/** The actions on the selected flags. Each action shows its effect first. */
export function BulkBar({ flags, onDone }: { flags: readonly Flag[]; onDone(): void }) {
  const [action, setAction] = useState<Action>();
  const [tag, setTag] = useState('');
  const several = counted(flags.length, 'flag');
  const project = new Set(flags.map(flag => flag.project)).size === 1 ? flags[0]?.project : undefined;
  const [, type = 'simple', value = ''] = /^(?:([^:]+):)?(.*)$/.exec(tag.trim()) ?? [];

  const run = async () => {
    for (const selected of byProject(flags)) {
      if (action === 'archive') await archive(selected);
      else if (action === 'tag') await addTag(selected, { type, value });
      else await markStale(selected, action === 'stale');
    }
    toast({ message: `${TITLES[action ?? 'tag'][1]} ${several}.` });
    onDone();
  };
  return (
    <section className={s.bulk} aria-label="Selected flags">
      <b>{several} selected</b>
      <Can call="changeTagsOfFeatures" project={project}>
        <Button onClick={() => setAction('tag')}>Add a tag…</Button>
      </Can>
      <Can call="markFeaturesStale" project={project}>
        <Button onClick={() => setAction('stale')}>Mark stale…</Button>
      </Can>
      <Can call="markFeaturesStale" project={project}>
        <Button onClick={() => setAction('active')}>Mark active…</Button>
      </Can>
      <Can call="archiveFeatures" project={project}>
        <Button onClick={() => setAction('archive')}>Archive…</Button>
      </Can>
      <Button variant="subtle" onClick={onDone}>
        Clear
      </Button>
      {action && (
        <Confirm
          opened
          title={`${TITLES[action][0]} ${several}?`}
          action={`${TITLES[action][0]} ${several}`}
          danger={action === 'archive'}
          disabled={action === 'tag' && value === ''}
          onConfirm={run}
          onClose={() => setAction(undefined)}
        >
          {action === 'tag' && (
            <TextInput
              label="Tag"
              description="A type and a value, such as simple:q4. Without a type: simple."
              value={tag}
              onChange={event => setTag(event.target.value)}
              data-autofocus
            />
          )}
          {action === 'archive' && <p>SDKs no longer receive archived flags. You can revive them later.</p>}
          <p className="mono">{namesOf(flags)}</p>
        </Confirm>
      )}
    </section>
  );
}

const TITLES = {
  tag: ['Tag', 'Tagged'],
  stale: ['Mark stale:', 'Marked stale:'],
  active: ['Mark active:', 'Marked active:'],
  archive: ['Archive', 'Archived'],
} as const;

const SHOWN = 12;
const namesOf = (flags: readonly Flag[]): string =>
  flags.length > SHOWN
    ? `${flags
        .slice(0, SHOWN)
        .map(flag => flag.name)
        .join(', ')} and ${flags.length - SHOWN} more`
    : flags.map(flag => flag.name).join(', ');
