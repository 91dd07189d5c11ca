import { escapeText, quoteText } from './caller-text.ts';

type Variant = { name: string; weight: number; payload?: { type: string; value: string } | null };

/** Weights are in thousandths. */
export const formatWeight = (weight: number): string => `${weight / 10} %`;

/** Formats the variants with their percentages, such as "blue 50 %, green 50 %". */
export const formatShares = (variants: readonly Variant[]): string => variants.map(formatShare).join(', ');

const formatShare = ({ name, weight }: Variant): string => `${quoteText(name)} ${formatWeight(weight)}`;

const formatPayload = ({ payload }: Variant): string =>
  payload ? ` (${escapeText(payload.type)}: ${escapeText(payload.value)})` : '';

const isVariant = (value: unknown): value is Variant =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'weight' in value &&
  typeof value.weight === 'number';

/** Describes a list of variants, or one variant without its name. Payloads are in parentheses. Returns undefined for any other value. */
export function describeVariants(value: unknown): string | undefined {
  if (isVariant(value)) return formatWeight(value.weight) + formatPayload(value);
  return Array.isArray(value) && value.length > 0 && value.every(isVariant)
    ? value.map(variant => formatShare(variant) + formatPayload(variant)).join(', ')
    : undefined;
}
