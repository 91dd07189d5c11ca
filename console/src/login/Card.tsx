import { type ReactNode, useEffect } from 'react';
import { Mark } from '../shell/Mark.tsx';
import s from './login.module.css';

/** The frame of pages that work without a session. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Halyard`;
  }, [title]);
  return (
    <main className={s.page}>
      <div className={s.card}>
        <Mark className={s.mark} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
