import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RailSection } from './RailSection.tsx';
import s from './UsedBy.module.css';

export type Use = {
  key: string;
  /** The path that the row links to. Without a path, the row is not a link. */
  to?: string;
  search?: Record<string, string>;
  label: ReactNode;
  /** The second line: "Payments · strategy 2". */
  note?: ReactNode;
  /** The content on the right, such as an `<Env>` or a time. */
  aside?: ReactNode;
};

/** Links to everything that uses a subject: `<UsedBy noun="flag" uses={…} empty="No flag uses it." />`. */
export function UsedBy({
  anchor,
  title = 'Used by',
  noun,
  plural,
  uses,
  total = uses?.length,
  empty,
}: {
  /** The id of the section, for links to it. */
  anchor?: string;
  title?: string;
  noun: string;
  plural?: string;
  /** Undefined while the uses load. */
  uses: readonly Use[] | undefined;
  /** The total number of uses, if `uses` contains only the first few. */
  total?: number | undefined;
  /** The sentence to show if nothing uses it. */
  empty: ReactNode;
}) {
  return (
    <RailSection anchor={anchor} title={title} count={total} noun={noun} plural={plural}>
      {uses?.length === 0 && <p className={s.empty}>{empty}</p>}
      {uses && uses.length > 0 && (
        <ul className={s.uses}>
          {uses.map(({ key, to, search = {}, label, note, aside }) => (
            <li key={key}>
              <span className={s.what}>
                {to === undefined ? (
                  <b>{label}</b>
                ) : (
                  <Link to={to} search={search}>
                    {label}
                  </Link>
                )}
                {note && <small>{note}</small>}
              </span>
              {aside && <span>{aside}</span>}
            </li>
          ))}
          {total !== undefined && total > uses.length && (
            <li className={s.more}>and {total - uses.length} more</li>
          )}
        </ul>
      )}
    </RailSection>
  );
}
