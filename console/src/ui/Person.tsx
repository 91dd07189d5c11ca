import type { CSSProperties } from 'react';
import s from './Person.module.css';

/** A name has the same hue on every page. */
function hueOf(name: string): number {
  let hash = 7;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 3600;
  return Math.floor(hash / 10);
}

const LARGE = 24;

/** The initial of a person in a circle. With `named`, followed by the name. */
export function Person({ name, size = 20, named }: { name: string; size?: number; named?: boolean }) {
  const style = {
    '--hue': hueOf(name),
    width: size,
    height: size,
    fontSize: size < LARGE ? 12 : 13,
  } as CSSProperties;
  const circle = (
    <i className={s.circle} style={style} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </i>
  );
  return named ? (
    <span className={s.person}>
      {circle}
      {name}
    </span>
  ) : (
    circle
  );
}
