import { type Targeting, type Unsupported, UnsupportedError } from './model.ts';

/** What has no equivalent is a result, so that one rule does not end the import. */
export function attempt(read: () => Targeting): Targeting | Unsupported {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedError) return { unsupported: error.message };
    throw error;
  }
}

const MAX_CHARACTERS = 60;

/** Names of variants go into URLs, and each exists once in a flag. */
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
