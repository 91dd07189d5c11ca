import s from './integrations.module.css';

/** Headers of a request or a response. */
export function Headers({ headers }: { headers: readonly { name: string; value: string }[] }) {
  if (headers.length === 0) return null;
  return (
    <dl className={s.headers}>
      {headers.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several headers can have the same masked name
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
