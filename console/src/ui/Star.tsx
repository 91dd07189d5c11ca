import { Star as StarIcon } from 'lucide-react';
import s from './Star.module.css';

/** The button that adds something to the user's favorites, or removes it. */
export function Star({
  label,
  pressed,
  size = 14,
  onClick,
}: {
  label: string;
  pressed: boolean;
  size?: number;
  onClick(): void;
}) {
  return (
    <button type="button" className={s.star} aria-pressed={pressed} aria-label={label} onClick={onClick}>
      <StarIcon size={size} fill={pressed ? 'currentColor' : 'none'} aria-hidden="true" />
    </button>
  );
}
