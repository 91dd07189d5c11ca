import { Star } from 'lucide-react';
import s from './FavoriteButton.module.css';

/** The button that marks or unmarks something as one of the user's favorites. */
export function FavoriteButton({
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
    <button type="button" className={s.favorite} aria-pressed={pressed} aria-label={label} onClick={onClick}>
      <Star size={size} fill={pressed ? 'currentColor' : 'none'} aria-hidden="true" />
    </button>
  );
}
