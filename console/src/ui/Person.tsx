import type { CSSProperties } from 'react';
import s from './Person.module.css';

/** Computes a hue from a name, so that the name has the same hue on every page. */
function computeHue(name: string): number {
  let hash = 7;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 3600;
  return Math.floor(hash / 10);
}

const LARGE_SIZE = 24;

/** The initial of a person in a circle, followed by the name with `showName`. */
export function Person({ name, size = 20, showName }: { name: string; size?: number; showName?: boolean }) {
  const style = {
    '--hue': computeHue(name),
    width: size,
    height: size,
    fontSize: size < LARGE_SIZE ? 12 : 13,
  } as CSSProperties;
  const circle = (
    <i className={s.circle} style={style} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </i>
  );
  return showName ? (
    <span className={s.person}>
      {circle}
      <span>{name}</span>
    </span>
  ) : (
    circle
  );
}
