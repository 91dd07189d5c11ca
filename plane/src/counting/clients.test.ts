import { expect, test } from 'vitest';
import type { Scope } from '../serving/state/scope.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import { makeClients } from './clients.ts';

const buildToken = (id: number): SdkToken => ({
  id,
  hash: '',
  type: 'backend',
  environment: 'production',
  projects: undefined,
  expiresAt: Number.POSITIVE_INFINITY,
  ended: false,
  used: false,
  derived: new Map(),
});
/** A scope at a revision, in an environment that may have a higher one. */
const scopeAt = (revision: number, environmentRevision = revision, epoch = 'e1'): Scope =>
  ({ environment: 'production', revision, current: { revision: environmentRevision, epoch } }) as Scope;
const headers = (id: string) => ({
  'unleash-connection-id': id,
  'unleash-appname': 'shop',
  'unleash-instanceid': `pod-${id}`,
});
const TOKEN = buildToken(1);

test('a client that is up to date in its scope counts as having every change in the environment', () => {
  const clients = makeClients();

  const client = clients.recordContact(TOKEN, headers('a'), scopeAt(5, 9), 5);

  expect(client?.revision).toBe(9);
});

test('a client that is behind its scope counts as having the revision it presents, or revision 0 without one', () => {
  const clients = makeClients();

  expect(clients.recordContact(TOKEN, headers('a'), scopeAt(5, 9), 3)?.revision).toBe(3);
  expect(clients.recordContact(TOKEN, headers('b'), scopeAt(5, 9), undefined)?.revision).toBe(0);
  expect(clients.recordContact(TOKEN, headers('c'), scopeAt(5, 9), Number.POSITIVE_INFINITY)?.revision).toBe(
    0,
  );
  expect(clients.recordContact(TOKEN, headers('d'), scopeAt(5, 9), 1_000_000)?.revision).toBe(9);
});

test('a request without a revision does not clear the revision that the client presented before', () => {
  const clients = makeClients();
  clients.recordContact(TOKEN, headers('a'), scopeAt(5), 5);

  expect(clients.recordContact(TOKEN, headers('a'), scopeAt(5), undefined)?.revision).toBe(5);
});

test('without a connection id, a restarted application starts without a revision', () => {
  const clients = makeClients();
  const { 'unleash-connection-id': _, ...old } = headers('a');
  clients.recordContact(TOKEN, old, scopeAt(5), 5);

  expect(clients.recordContact(TOKEN, old, scopeAt(5), undefined)?.revision).toBe(0);
  expect(clients.take(10).sightings).toMatchObject([{ isExact: true, revision: 0 }]);
});

test('a new epoch resets the revisions that clients presented before', () => {
  const clients = makeClients();
  const client = clients.recordContact(TOKEN, headers('a'), scopeAt(5), 5);

  clients.recordContact(TOKEN, headers('b'), scopeAt(5, 5, 'e2'), undefined);

  expect(client?.revision).toBe(0);
});

test('returns each change once, and again if it could not be written', () => {
  const clients = makeClients();
  clients.recordContact(TOKEN, headers('a'), scopeAt(5), 5);

  const first = clients.take(10);
  expect(first.sightings).toMatchObject([{ application: 'shop', instance: 'pod-a', revision: 5 }]);
  expect(clients.isChanged).toBe(false);
  first.undo();
  expect(clients.take(10).sightings).toMatchObject([{ application: 'shop', instance: 'pod-a', revision: 5 }]);

  clients.recordContact(TOKEN, headers('a'), scopeAt(5), 5);
  expect(clients.isChanged).toBe(false);
  clients.recordContact(TOKEN, headers('a'), scopeAt(6), 6);
  const [row] = clients.take(10).sightings;
  expect(row).toMatchObject({ revision: 6 });
  expect(row).not.toHaveProperty('application');
});

test('one token leaves room for the next, and ignored clients are reported', () => {
  const clients = makeClients({ clients: 8 });

  for (let n = 0; n < 20; n++) clients.recordContact(TOKEN, headers(`a${n}`), scopeAt(5), 5);
  expect(clients.size).toBe(4);
  expect(clients.takeIgnored()).toBe(true);
  expect(clients.takeIgnored()).toBe(false);
  clients.recordContact(buildToken(2), headers('b'), scopeAt(5), 5);

  expect(clients.size).toBe(5);
  expect(clients.takeIgnored()).toBe(false);
});

test('forgets a silent client after five minutes, unless it has a stream', () => {
  let time = 0;
  const clients = makeClients(undefined, () => time);
  clients.recordContact(TOKEN, headers('polls'), scopeAt(5), 5);
  const streaming = clients.recordContact(TOKEN, headers('streams'), scopeAt(5), 5);
  if (streaming) clients.streamOpened(streaming);

  time = 3_000;
  clients.sweep();
  expect(clients.size).toBe(2);
  time = 3_001;
  clients.sweep();
  expect(clients.size).toBe(1);

  if (streaming) clients.streamClosed(streaming);
  time = 7_000;
  clients.sweep();
  expect(clients.size).toBe(0);
});
