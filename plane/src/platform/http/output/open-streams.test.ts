import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeOpenStreams } from './open-streams.ts';

type Client = { received: string[]; unread: number; state: 'open' | 'ended' | 'destroyed' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(count: number, readsEnd = true) {
  let cutOff = 0;
  const streams = makeOpenStreams<Client>(
    {
      isClosed: ({ state }) => state !== 'open',
      unread: ({ unread }) => unread,
      write: ({ received }, bytes) => received.push(String(bytes)),
      end: client => {
        client.state = 'ended';
        if (readsEnd) streams.remove(client);
      },
      destroy: client => {
        client.state = 'destroyed';
        streams.remove(client);
      },
      heartbeat: ({ received }) => (received.includes('busy') ? undefined : 'beat'),
      farewell: () => 'bye',
    },
    { unreadBytes: 10, endWithinMs: 6_000 },
    () => cutOff++,
  );
  const clients = Array.from({ length: count }, (): Client => ({ received: [], unread: 0, state: 'open' }));
  for (const client of clients) streams.add(client);
  return { streams, clients, cutOff: () => cutOff };
}

test('every stream gets one heartbeat in 15 s, unless the client still has unread data', () => {
  const { clients } = open(300);
  clients[7]?.received.push('busy');

  vi.advanceTimersByTime(15_000);

  expect(clients.map(({ received }) => received)).toEqual(
    clients.map((_, index) => (index === 7 ? ['busy'] : ['beat'])),
  );
});

test('without streams there is no timer', () => {
  const { streams, clients } = open(2);
  expect(vi.getTimerCount()).toBe(1);

  for (const client of clients) streams.remove(client);

  expect(vi.getTimerCount()).toBe(0);
});

test('a client that reads too slowly is cut off', () => {
  const { streams, clients, cutOff } = open(2);
  const [slow, other] = clients as [Client, Client];
  slow.unread = 11;
  other.unread = 10;

  for (const client of clients) streams.write(client, 'news');
  streams.write(slow, 'more');

  expect([slow, other]).toMatchObject([
    { state: 'destroyed', received: [] },
    { state: 'open', received: ['news'] },
  ]);
  expect(cutOff()).toBe(1);
  expect(streams.all.size).toBe(1);
});

test('when the server stops, the streams do not all end at the same moment', async () => {
  vi.useRealTimers();
  const { streams, clients } = open(100);

  const closed = streams.close();
  const endedFirst = clients.filter(({ state }) => state === 'ended').length;
  await closed;

  expect(endedFirst).toBeLessThan(50);
  expect(clients.every(({ received, state }) => state === 'ended' && received.at(-1) === 'bye')).toBe(true);
  expect(streams.isClosing).toBe(true);
});

test('a client that does not read the last block is cut off', async () => {
  vi.useRealTimers();
  const { streams, clients } = open(3, false);

  await streams.close();

  expect(clients.map(({ state }) => state)).toEqual(['destroyed', 'destroyed', 'destroyed']);
});
