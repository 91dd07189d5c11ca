import {
  type AnyOf,
  type Rule,
  type Targeting,
  type Unsupported,
  UnsupportedError,
  type Variation,
} from './model.ts';

/** Turns an UnsupportedError into a result, so that one flag does not stop the import. */
export function catchUnsupported(read: () => Targeting): Targeting | Unsupported {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedError) return { unsupported: error.message };
    throw error;
  }
}

const MAX_NAME_LENGTH = 60;

/** Makes variant names URL-safe and unique within the flag. */
export function makeVariantNames(names: string[]): string[] {
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

/** Gives each variation a name that is URL-safe and unique within the flag. */
export function nameVariations(variations: Variation[]): Variation[] {
  const names = makeVariantNames(variations.map(({ name }) => name));
  return variations.map((variation, index) => ({ ...variation, name: names[index] ?? '' }));
}

/** Returns a list with a rule that serves a variation to a share of the users it matches. The list is empty if the share is 0. */
export function serveShare(title: string, when: AnyOf, variation: number, share: number, by: string): Rule[] {
  if (share <= 0) return [];
  return [{ title, when, serve: share >= 1 ? { variation } : { variation, share, by } }];
}
