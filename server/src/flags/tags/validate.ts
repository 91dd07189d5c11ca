import type { Violation } from '@halyard/plane/platform/errors.ts';
import { hasControlCharacter } from '@halyard/plane/platform/http/input/text.ts';
import type { NewTag, Tag } from './schema.ts';

const MIN_LENGTH = 2;
const MAX_LENGTH = 50;

/** Returns the tag with a trimmed value and without unknown fields. */
export const trimTag = ({ type, value }: NewTag): Tag => ({ type, value: value.trim() });

/** Yields the violations in the value of a trimmed tag. */
export function* findTagValueViolations({ value }: Tag, path: string): Generator<Violation> {
  // Counts characters rather than UTF-16 units, like the database and the validator.
  const length = [...value].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    yield {
      message: `value must have ${MIN_LENGTH} to ${MAX_LENGTH} characters after trimming`,
      path: `${path}/value`,
    };
  }
  // A value with control characters cannot be in a URL, so the tag could not be deleted.
  if (hasControlCharacter(value))
    yield { message: 'value must not contain control characters', path: `${path}/value` };
}
