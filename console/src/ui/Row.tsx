// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the list, which marks the active row
import type { CSSProperties, ReactNode } from 'react';
import s from './Row.module.css';
import { cx } from './words.ts';

type RowProps = { className?: string; style?: CSSProperties; children: ReactNode };

/** The header of a table in `List`, passed as `header`. The columns come from `className` or `style`. */
export function HeaderRow({ className, style, children }: RowProps) {
  return (
    <div className={cx(s.columns, s.header, className)} style={style} role="row">
      {children}
    </div>
  );
}

/** The cells of a row in `List as="table"`, in the columns of the header. */
export function Cells({ className, style, children }: RowProps) {
  return (
    <div className={cx(s.columns, s.row, className)} style={style} role="presentation">
      {children}
    </div>
  );
}

/**
 * A cell. `variant="name"` is for a link with a small line below it, `variant="control"` for a button, and `variant="dim"` for
 * secondary text.
 */
export function Cell({
  variant,
  className,
  children,
}: {
  variant?: 'name' | 'control' | 'dim';
  className?: string;
  children?: ReactNode;
}) {
  return (
    <span role="cell" className={cx(variant && s[variant], className) || undefined}>
      {children}
    </span>
  );
}
