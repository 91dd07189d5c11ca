import { type ReactNode, useId } from 'react';
import { CreateBar, type Creation } from './CreateBar.tsx';
import s from './FormAndEffect.module.css';

/**
 * A form on the left and its effect, such as a plan, on the right. On a narrow screen, the effect is below the form. With
 * `as="page"`, the form is the page, and the effect is a column of sections (`RailSection`, `UsedBy`, `LastChange`).
 */
export function FormAndEffect({
  as = 'plan',
  form,
  actions,
  creation,
  bar,
  onSubmit,
  title,
  isBusy = false,
  wide,
  children,
}: {
  as?: 'plan' | 'page';
  form: ReactNode;
  /** The buttons of the form. */
  actions?: ReactNode;
  /** The buttons of a page that creates something, in a bar below both. */
  creation?: Creation;
  /** A `SaveBar` below both. */
  bar?: ReactNode;
  onSubmit(): void;
  /** The heading of the effect, such as "Plan". */
  title: string;
  isBusy?: boolean;
  /** For a form with long fields. */
  wide?: boolean;
  /** The effect. */
  children: ReactNode;
}) {
  const id = useId();
  const formId = useId();
  return (
    <>
      <div className={s.page} data-as={as} data-wide={wide || undefined}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={s.choices} tabIndex={0} aria-label="Choices">
          <form
            id={formId}
            onSubmit={event => {
              event.preventDefault();
              onSubmit();
            }}
          >
            {form}
            {actions && <footer>{actions}</footer>}
          </form>
        </section>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={s.effect} tabIndex={0} aria-labelledby={id} aria-busy={isBusy}>
          <h2 id={id} className={as === 'page' ? 'sr' : undefined}>
            {title}
          </h2>
          {children}
        </section>
      </div>
      {creation && <CreateBar form={formId} {...creation} />}
      {bar}
    </>
  );
}
