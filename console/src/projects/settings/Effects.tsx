import type { ReactNode } from 'react';
import s from './settings.module.css';

export type Effect = { title: string; aside?: ReactNode; text: ReactNode };

/** Shows what saving changes, with one block for each kind of change. */
export function Effects({
  effects,
  emptyText,
}: {
  effects: readonly (Effect | false | undefined)[];
  /** The sentence to show if nothing changes. */
  emptyText: string;
}) {
  const shownEffects = effects.filter(effect => effect !== false && effect !== undefined);
  if (shownEffects.length === 0) return <p className={s.none}>{emptyText}</p>;
  return (
    <div className={s.effects}>
      {shownEffects.map(({ title, aside, text }) => (
        <div key={title}>
          <div className={s.effectHead}>
            <b>{title}</b>
            {aside && <span>{aside}</span>}
          </div>
          <p className={s.effectWords}>{text}</p>
        </div>
      ))}
    </div>
  );
}
