import { formatShares } from '../ui/variants.ts';
import s from './features.module.css';

/** Shows the variants and their percentages in one line, such as "Variants: blue 50 %, green 50 %". */
export function VariantShares({ variants }: { variants: readonly { name: string; weight: number }[] }) {
  return variants.length > 0 && <p className={s.variants}>Variants: {formatShares(variants)}</p>;
}
