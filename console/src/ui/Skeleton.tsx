import s from './Skeleton.module.css';

/** Placeholder rows of the final height while a list loads for the first time. */
export function Skeleton({ rows = 8, height = 44 }: { rows?: number; height?: number }) {
  return (
    <div className={s.rows} role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity
        <div key={row} style={{ height }}>
          <i style={{ width: `${30 + ((row * 17) % 40)}%` }} />
        </div>
      ))}
    </div>
  );
}
