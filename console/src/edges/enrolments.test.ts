import { expect, test } from 'vitest';
import type { ApiToken } from '../api-tokens/queries.ts';
import { enrolmentsOf, selectedOf } from './enrolments.ts';
import type { Edge } from './queries.ts';
import { commandsOf, urlOf } from './start.ts';

const edge = (id: string, tokenId: number): Edge => ({
  id,
  tokenId,
  tokenName: `edge ${tokenId}`,
  environment: 'production',
  projects: ['*'],
  version: '0.1.0',
  revision: 7,
  behind: 0,
  age: 1,
  instances: 3,
  state: 'connected',
  createdAt: '2026-11-01T10:00:00.000Z',
  seenAt: '2026-11-01T10:00:00.000Z',
});
const token = (id: number, type: ApiToken['type']) =>
  ({ id, type, tokenName: `edge ${id}`, environment: 'production', projects: ['*'] }) as ApiToken;

test('lists edges, and enrolments that no edge has used', () => {
  const rows = enrolmentsOf(
    [edge('a', 1), edge('b', 1)],
    [token(1, 'edge'), token(2, 'edge'), token(3, 'client')],
  );

  expect(rows.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'a connected',
    'b connected',
    'token:2 none',
  ]);
});

test('the row of an enrolment becomes that of its first edge', () => {
  expect(selectedOf(enrolmentsOf([], [token(1, 'edge')]), 'token:1')?.state).toBe('none');
  expect(selectedOf(enrolmentsOf([edge('a', 1)], [token(1, 'edge')]), 'token:1')?.id).toBe('a');
  expect(selectedOf(enrolmentsOf([], []), 'token:1')).toBeUndefined();
});

const enrolmentFor = (url: string): string =>
  `halyard-edge-1.${Buffer.from(JSON.stringify({ url, token: "it's" })).toString('base64url')}`;

test('reads the URL in an enrolment', () => {
  expect(urlOf(enrolmentFor('https://flags.example.com'))).toBe('https://flags.example.com');
  expect(urlOf('halyard-edge-2.???')).toBeUndefined();
});

test('names the server in the commands only if the enrolment has a different URL', () => {
  const shellFor = (origin: string) =>
    commandsOf(enrolmentFor('https://flags.example.com'), origin).map(({ text }) => text ?? '');

  for (const text of shellFor('https://flags.example.com')) expect(text).not.toContain('pstream');
  for (const text of shellFor('https://other.example.com'))
    expect(text).toMatch(/(UPSTREAM|upstream)='https:\/\/other\.example\.com'/);
});
