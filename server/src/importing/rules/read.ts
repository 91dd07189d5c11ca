import { type Targeting, type Unsupported, UnsupportedError } from './model.ts';

/** A rule without an equivalent is returned as a result, so that it does not end the import. */
export function attempt(read: () => Targeting): Targeting | Unsupported {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedError) return { unsupported: error.message };
    throw error;
  }
}

const MAX_CHARACTERS = 60;

/** Variant names go into URLs, and must be unique within a flag. */
export function variantNames(names: string[]): string[] {
  const made: string[] = [];
  for (const [at, name] of names.entries()) {
    const plain = name
      .trim()
      .replace(/[^\w.~-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '')
      .slice(0, MAX_CHARACTERS);
    made.push(plain === '' || made.includes(plain) ? `${plain || 'variation'}-${at + 1}` : plain);
  }
  return made;
}
