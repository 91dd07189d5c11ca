import type { ReactNode } from 'react';
import s from './Form.module.css';

/** A column of fields, with the buttons in a footer. Enter submits. */
export function Form({
  actions,
  children,
  onSubmit,
}: {
  actions: ReactNode;
  children: ReactNode;
  onSubmit(): void;
}) {
  return (
    <form
      className={s.form}
      onSubmit={event => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <footer>{actions}</footer>
    </form>
  );
}
