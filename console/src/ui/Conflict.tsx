import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { loadChunk } from '../api/chunks.ts';
import s from './Conflict.module.css';
import { escapeText } from './caller-text.ts';
import { computeChanges } from './diff.ts';
import { Time } from './Time.tsx';

// Loaded separately, because conflicts are rare.
const FieldDiff = lazy(() =>
  loadChunk(() => import('./FieldDiff.tsx')).then(module => ({ default: module.FieldDiff })),
);

/** Shown when somebody else has changed what the user is editing. Nothing is lost until the user chooses. */
export function Conflict<Draft>({
  noun,
  by,
  base,
  mine,
  theirs,
  onKeep,
  onTake,
}: {
  noun: string;
  /** The event of the latest change, if known. */
  by?: { createdBy: string; createdAt: string };
  /** The state that the user started from. */
  base: Draft;
  mine: Draft;
  theirs: Draft;
  onKeep(): void;
  onTake(): void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The focused control has disappeared, so the heading takes the focus.
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className={s.conflict} role="alert">
      <h2 ref={heading} tabIndex={-1}>
        {by ? escapeText(by.createdBy) : 'Somebody'} changed this {noun}{' '}
        {by && (
          <>
            (<Time at={by.createdAt} />){' '}
          </>
        )}
        while you were editing it
      </h2>
      <div className={s.sides}>
        <section aria-label="Their changes">
          <h3>Their changes, saved</h3>
          <Suspense>
            <FieldDiff changes={computeChanges(base, theirs)} />
          </Suspense>
        </section>
        <section aria-label="Your changes">
          <h3>Your changes, not saved</h3>
          <Suspense>
            <FieldDiff changes={computeChanges(base, mine)} />
          </Suspense>
        </section>
      </div>
      <p className="muted">
        If you continue with yours, your next save replaces theirs. Taking theirs discards your changes.
      </p>
      <Button variant="filled" onClick={onKeep}>
        Continue with mine
      </Button>
      <Button onClick={onTake}>Take theirs</Button>
    </div>
  );
}
