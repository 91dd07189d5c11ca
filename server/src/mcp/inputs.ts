import { badData } from '@halyard/plane/platform/errors.ts';
import { hasControlCharacter, isInvisible, isStorable } from '@halyard/plane/platform/http/input/text.ts';
import { Type } from 'typebox';

/** The maximum length of names and ids everywhere in the API. */
const MAX_NAME_LENGTH = 100;

export const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description });
export const Flag = Name('Flag name');
export const Environment = Name('Environment name');
export const Project = Name('Project id');

/** The input of a tool. Unknown arguments are rejected, so that a misspelled name is noticed. */
export const Arguments = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

const MAX_REASON_LENGTH = 300;
export const Reason = (description: string) =>
  Type.String({ minLength: 3, maxLength: MAX_REASON_LENGTH, description });

/** Rejects a reason with unprintable characters, because it becomes an event comment, which is a single line. */
export function rejectUnprintable(reason: string): void {
  if (hasControlCharacter(reason) || isInvisible(reason) || !isStorable(reason))
    throw badData([
      { message: 'reason must be one line without control characters', path: '/arguments/reason' },
    ]);
}

export const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Default 20' }));
export const DEFAULT_LIMIT = 20;

/** Where the next page begins: `next` in the previous result. */
export const Cursor = Type.Optional(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'next from the previous page' }),
);
