import { expect, test } from 'vitest';
import type { ApiToken } from '../api-tokens/queries.ts';
import { findSelected, listEdgeRows } from './enrolments.ts';
import type { Edge } from './queries.ts';
import { buildStartCommands, readServerUrl } from './start.ts';

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

test('lists edges and unused enrolments', () => {
  const rows = listEdgeRows(
    [edge('a', 1), edge('b', 1)],
    [token(1, 'edge'), token(2, 'edge'), token(3, 'client')],
  );

  expect(rows.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'a connected',
    'b connected',
    'token:2 none',
  ]);
});

test("replaces an enrolment's row with the row of its first edge", () => {
  expect(findSelected(listEdgeRows([], [token(1, 'edge')]), 'token:1')?.state).toBe('none');
  expect(findSelected(listEdgeRows([edge('a', 1)], [token(1, 'edge')]), 'token:1')?.id).toBe('a');
  expect(findSelected(listEdgeRows([], []), 'token:1')).toBeUndefined();
});

const enrolmentFor = (url: string): string =>
  `halyard-edge-1.${Buffer.from(JSON.stringify({ url, token: "it's" })).toString('base64url')}`;

test('reads the URL in an enrolment', () => {
  expect(readServerUrl(enrolmentFor('https://flags.example.com'))).toBe('https://flags.example.com');
  expect(readServerUrl('halyard-edge-2.???')).toBeUndefined();
});

test('names the server in the commands only if the enrolment has a different URL', () => {
  const commandsFor = (origin: string) =>
    buildStartCommands(enrolmentFor('https://flags.example.com'), origin).map(({ text }) => text ?? '');

  for (const text of commandsFor('https://flags.example.com')) expect(text).not.toContain('pstream');
  for (const text of commandsFor('https://other.example.com'))
    expect(text).toMatch(/(UPSTREAM|upstream)='https:\/\/other\.example\.com'/);
});
