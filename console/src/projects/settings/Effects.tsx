import type { ReactNode } from 'react';
import s from './settings.module.css';

export type Effect = { title: string; aside?: ReactNode; words: ReactNode };

/** What saving changes, one block for each kind. */
export function Effects({
  effects,
  none,
}: {
  effects: readonly (Effect | false | undefined)[];
  /** The sentence if nothing changes. */
  none: string;
}) {
  const shown = effects.filter(one => one !== false && one !== undefined);
  if (shown.length === 0) return <p className={s.none}>{none}</p>;
  return (
    <div className={s.effects}>
      {shown.map(({ title, aside, words }) => (
        <div key={title}>
          <div className={s.effectHead}>
            <b>{title}</b>
            {aside && <span>{aside}</span>}
          </div>
          <p className={s.effectWords}>{words}</p>
        </div>
      ))}
    </div>
  );
}
