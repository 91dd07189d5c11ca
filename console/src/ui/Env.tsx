import s from './Env.module.css';

/** An environment's name, or `short` in its place, after a square that is filled for production and hollow otherwise. */
export function Env({ name, type, short }: { name: string; type?: string; short?: string }) {
  return (
    <span className={s.env} data-type={type ?? name} title={short ? name : undefined}>
      <i aria-hidden="true" />
      {short ?? name}
    </span>
  );
}
