import s from './features.module.css';

/** Shows the variants and their percentages in one line, such as "Variants: blue 50 %, green 50 %". */
export function VariantShares({ variants }: { variants: readonly { name: string; weight: number }[] }) {
  if (variants.length === 0) return null;
  return (
    <p className={s.variants}>
      Variants: {variants.map(({ name, weight }) => `${name} ${weight / 10} %`).join(', ')}
    </p>
  );
}
