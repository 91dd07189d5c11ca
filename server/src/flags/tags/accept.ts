import type { Violation } from '../../platform/errors.ts';
import { hasControlCharacter } from '../../platform/http/text.ts';
import type { NewTag, Tag } from './schema.ts';

const MIN_LENGTH = 2;
const MAX_LENGTH = 50;

/** The tag as it is stored: without blanks at the ends of its value, and nothing that is not known. */
export const trimmed = ({ type, value }: NewTag): Tag => ({ type, value: value.trim() });

/** What is wrong with the value of a tag that was trimmed. */
export function* valueViolations({ value }: Tag, path: string): Generator<Violation> {
  // Characters, not UTF-16 units: the database and the validator count the same way.
  const length = [...value].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    yield {
      message: `value must have ${MIN_LENGTH} to ${MAX_LENGTH} characters between its blanks`,
      path: `${path}/value`,
    };
  }
  // A value with control characters could not be named in an address, and so not be deleted.
  if (hasControlCharacter(value))
    yield { message: 'value must not hold control characters', path: `${path}/value` };
}
