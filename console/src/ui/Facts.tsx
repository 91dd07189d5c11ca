import type { ReactNode } from 'react';
import s from './Facts.module.css';

/** A list of facts, one per line, for example `<Facts facts={[['Type', 'Backend'], …]} />`. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={s.facts}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
