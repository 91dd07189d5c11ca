import { Kbd } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import s from './Keys.module.css';
import { keysOf } from './shortcuts.ts';

/** The line under a list that names its keys: `hints={[['j k', 'move'], ['Enter', 'open']]}`. `note` is at the right. */
export function Keys({ hints, note }: { hints: readonly (readonly [string, string])[]; note?: ReactNode }) {
  return (
    <footer className={s.keys}>
      <span className={s.hints}>
        {hints.map(([keys, words]) => (
          <span key={keys}>
            {keysOf(keys).map(key => (
              <Fragment key={key}>
                <Kbd>{key}</Kbd>{' '}
              </Fragment>
            ))}
            {words}
          </span>
        ))}
      </span>
      {note && <span className={s.note}>{note}</span>}
    </footer>
  );
}
