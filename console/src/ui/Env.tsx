import s from './Env.module.css';

/** An environment: a filled square for production, a hollow one for others, and its name (or `short`). */
export function Env({ name, type, short }: { name: string; type?: string; short?: string }) {
  return (
    <span className={s.env} data-type={type ?? name} title={short ? name : undefined}>
      <i aria-hidden="true" />
      {short ?? name}
    </span>
  );
}
