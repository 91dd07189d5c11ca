import { Star as StarIcon } from 'lucide-react';
import s from './Star.module.css';

/** The button that marks or unmarks something as one of the user's favorites. */
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
