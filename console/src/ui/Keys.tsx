import { Kbd } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import s from './Keys.module.css';
import { toKeyLabels } from './shortcuts.ts';

/**
 * The line below a list that explains its keyboard shortcuts: `hints={[['j k', 'move'], ['Enter', 'open']]}`. `note` is on the
 * right.
 */
export function Keys({ hints, note }: { hints: readonly (readonly [string, string])[]; note?: ReactNode }) {
  return (
    <footer className={s.keys}>
      <span className={s.hints}>
        {hints.map(([keys, description]) => (
          <span key={keys}>
            {toKeyLabels(keys).map(key => (
              <Fragment key={key}>
                <Kbd>{key}</Kbd>{' '}
              </Fragment>
            ))}
            {description}
          </span>
        ))}
      </span>
      {note && <span className={s.note}>{note}</span>}
    </footer>
  );
}
