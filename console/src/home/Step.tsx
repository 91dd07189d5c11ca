import { Check } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { State } from '../ui/State.tsx';
import { cx } from '../ui/words.ts';
import s from './first-run.module.css';

/** A first-run card. A finished step takes one line, and the current step has an outline in the accent color. */
export function Step({
  number,
  title,
  isDone,
  isCurrent,
  summary,
  aside,
  children,
}: {
  number: number;
  title: string;
  isDone: boolean;
  isCurrent: boolean;
  /** What was done, or what will happen. */
  summary: ReactNode;
  /** Shown on the right of a finished or upcoming step. */
  aside?: ReactNode;
  /** The current step's content. */
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <section
      className={cx(s.step)}
      aria-labelledby={id}
      data-state={isDone ? 'done' : isCurrent ? 'current' : 'later'}
    >
      <i className={s.number} aria-hidden="true">
        {isDone ? <Check size={14} /> : number}
      </i>
      <div className={s.body}>
        <header>
          <h2 id={id}>{title}</h2>
          {isDone && (
            <State tone="on" icon={<Check size={12} aria-hidden="true" />}>
              Done
            </State>
          )}
          {isCurrent && <State tone="info">Now</State>}
          {aside && <span className={s.aside}>{aside}</span>}
        </header>
        <p>{summary}</p>
        {children}
      </div>
    </section>
  );
}
