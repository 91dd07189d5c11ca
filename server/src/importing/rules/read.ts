import { type AnyOf, type Rule, type Targeting, type Unsupported, UnsupportedError } from './model.ts';

/** Returns a rule without an equivalent as a result, so that it does not end the import. */
export function attempt(read: () => Targeting): Targeting | Unsupported {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedError) return { unsupported: error.message };
    throw error;
  }
}

const MAX_NAME_LENGTH = 60;

/** Makes variant names fit for URLs and unique within the flag. */
export function variantNames(names: string[]): string[] {
  const uniqueNames: string[] = [];
  for (const [index, name] of names.entries()) {
    const slug = name
      .trim()
      .replace(/[^\w.~-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '')
      .slice(0, MAX_NAME_LENGTH);
    uniqueNames.push(
      slug === '' || uniqueNames.includes(slug) ? `${slug || 'variation'}-${index + 1}` : slug,
    );
  }
  return uniqueNames;
}

/** Returns a rule that serves a variation to a share of the users it matches, or no rule if the share is 0. */
export function serveShare(title: string, when: AnyOf, variation: number, share: number, by: string): Rule[] {
  if (share <= 0) return [];
  return [{ title, when, serve: share >= 1 ? { variation } : { variation, share, by } }];
}
