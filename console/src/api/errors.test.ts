import { expect, test } from 'vitest';
import { isReasonMissing, messagesWithoutField, RequestError, rejectionError } from './errors.ts';

const HINT =
  'Project "payments" requires a reason for every change to its flags. Send it in the Halyard-Comment header.';

test('recognizes a missing reason, and shows no message in a form, because the user cancelled the change', () => {
  const error = rejectionError(400, {
    message: HINT,
    details: [{ message: HINT, path: '/headers/halyard-comment' }],
  });

  expect(isReasonMissing(error)).toBe(true);
  expect(error.message).toBe('Enter a reason.');
  expect(messagesWithoutField(error, [])).toEqual([]);
});

test('says what is wrong with a reason without naming the header', () => {
  const details = [
    {
      message: 'Halyard-Comment must be one line without control characters.',
      path: '/headers/halyard-comment',
    },
  ];
  const error = rejectionError(400, { message: 'Invalid request.', details });

  expect(messagesWithoutField(error, [])).toEqual([
    'The reason must be one line without control characters.',
  ]);
  expect(isReasonMissing(error)).toBe(false);
});

test("keeps the server's messages for other violations", () => {
  const error = rejectionError(400, {
    message: 'Invalid request.',
    details: [{ message: 'name is required', path: '/body/name' }],
  });

  expect(messagesWithoutField(error, [])).toEqual(['name is required']);
  expect(isReasonMissing(error)).toBe(false);
  expect(isReasonMissing(new RequestError(400, {}))).toBe(false);
});

test("escapes bidi characters in the server's messages, because they can quote text from callers", () => {
  const details = [{ message: 'segment "a\u202Eb" is unknown', path: '/body/segments' }];
  const error = new RequestError(409, { message: 'Group "a\u202Eb" already exists.', details });

  expect(error.message).toBe('Group "a\\u202Eb" already exists.');
  expect(messagesWithoutField(error, [])).toEqual(['segment "a\\u202Eb" is unknown']);
});
