import s from './Env.module.css';

/** An environment by its name or `short`, with a filled square for production and a hollow square otherwise. */
export function Env({ name, type, short }: { name: string; type?: string; short?: string }) {
  return (
    <span className={s.env} data-type={type ?? name} title={short ? name : undefined}>
      <i aria-hidden="true" />
      {short ?? name}
    </span>
  );
}
