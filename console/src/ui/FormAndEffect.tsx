import { type ReactNode, useId } from 'react';
import s from './FormAndEffect.module.css';

/** A form at the left and its effect at the right, such as a plan. On a narrow screen the effect is below the form. */
export function FormAndEffect({
  form,
  actions,
  onSubmit,
  title,
  isBusy,
  wide,
  children,
}: {
  form: ReactNode;
  /** The buttons of the form. */
  actions: ReactNode;
  onSubmit(): void;
  /** The heading of the effect. */
  title: string;
  isBusy: boolean;
  /** A form with long fields. */
  wide?: boolean;
  /** The effect. */
  children: ReactNode;
}) {
  const id = useId();
  return (
    <div className={s.page} data-wide={wide || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.choices} tabIndex={0} aria-label="Choices">
        <form
          onSubmit={event => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {form}
          <footer>{actions}</footer>
        </form>
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.effect} tabIndex={0} aria-labelledby={id} aria-busy={isBusy}>
        <h2 id={id}>{title}</h2>
        {children}
      </section>
    </div>
  );
}
