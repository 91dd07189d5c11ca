import { hash } from 'node:crypto';
import { type Loop, startLoop } from '../load.ts';
import { type Response, send } from '../requests.ts';
import type { Era, FailingDatabase } from './database.ts';
import { ENVIRONMENT } from './writers.ts';

/** The documented limit is 1 s. The rest is for a busy machine, and for the connection that the server has to open after a failover. */
const KNOWN_WITHIN_MS = 5_000;
const CHANGE_PAUSE_MS = 250;
const PROBE_PAUSE_MS = 100;
const MAX_TOKENS = 60;
const TYPES = ['backend', 'frontend'] as const;
const PATHS = { backend: '/api/client/features', frontend: '/api/frontend' };

type Token = {
  id: number;
  secret: string;
  type: (typeof TYPES)[number];
  /** Unknown if a request that changes the token failed. */
  state: 'valid' | 'revoked' | 'unknown';
  /** Since when the database has this state. */
  since: number;
  /** The era in which the server can learn about it, if it could not in the previous one. */
  era?: Era | undefined;
};

export type Tokens = {
  changing: Loop;
  probing: Loop;
  /** Reads which tokens the database has. Nothing may change them meanwhile. */
  read: () => Promise<void>;
  counts: {
    probes: number;
    lost: number;
    returned: number;
    longestMs: number;
    /** Accepted without the database, which became unreachable before the server could be expected to know that the token was revoked. */
    unlearned: number;
  };
};

/** Creates and revokes tokens, and constantly uses all of them, including those that are revoked or were lost. */
export function startTokens(
  server: string,
  database: FailingDatabase,
  random: () => number,
  note: (response: Response) => void,
  on: { accepted: (problem: string) => void; rejected: (problem: string) => void },
): Tokens {
  let tokens: Token[] = [];
  const counts = { probes: 0, lost: 0, returned: 0, longestMs: 0, unlearned: 0 };
  let closed: Era | undefined;

  const readFrom = async (era: Era): Promise<void> => {
    const { rows } = await era.pool.query<{ hash: string }>(
      `select encode(hash, 'hex') as hash from api_tokens where revoked_at is null`,
    );
    const stored = new Set(rows.map(row => row.hash));
    for (const token of tokens) {
      const state = stored.has(hash('sha256', token.secret)) ? 'valid' : 'revoked';
      // The server must not forget what it had time to learn.
      if (state === token.state && !(closed && closed !== era && isUnlearned(token, closed))) continue;
      if (token.state !== 'unknown' && token.state !== state)
        counts[state === 'valid' ? 'returned' : 'lost']++;
      Object.assign(token, { state, since: performance.now(), era });
    }
  };

  database.listen({
    closed: async era => {
      closed = era;
    },
    opening: async era => {
      await readFrom(era);
      closed = undefined;
    },
  });

  async function change(): Promise<void> {
    const { era } = database;
    const victim = tokens.filter(({ state }) => state === 'valid').at(Math.floor(random() * 10));
    const revokes = victim !== undefined && random() < 0.45;
    const type = TYPES[Math.floor(random() * 2)] ?? 'backend';
    const body = { tokenName: `token-${Math.floor(random() * 1e9)}`, type, environment: ENVIRONMENT };
    if (revokes) victim.state = 'unknown';
    const response = revokes
      ? await send(server, 'DELETE', `/api/admin/api-tokens/${victim.id}`)
      : await send(server, 'POST', '/api/admin/api-tokens', body);
    note(response);
    const since = performance.now();
    const isKnown =
      era === database.era && era.state === 'open' && response.status < 300 && response.status > 0;
    if (revokes && isKnown) Object.assign(victim, { state: 'revoked', since, era: undefined });
    if (revokes || response.status !== 201) return;
    const { id, secret } = JSON.parse(response.text) as { id: number; secret: string };
    tokens.push({ id, secret, type, state: isKnown ? 'valid' : 'unknown', since });
    tokens = tokens.slice(-MAX_TOKENS);
  }

  async function probe(): Promise<void> {
    const token = tokens[Math.floor(random() * tokens.length)];
    if (token === undefined) return;
    const { state, since } = token;
    const { era } = database;
    const known = knownSince(token);
    const sentAt = performance.now();
    const { status } = await send(server, 'GET', PATHS[token.type], undefined, token.secret);
    counts.probes++;
    // It changed meanwhile, or may have.
    if (token.state !== state || token.since !== since || era !== database.era) return;
    const ms = sentAt - known;
    if (state === 'revoked' && status === 200 && sentAt > era.closedAt && isUnlearned(token, era))
      counts.unlearned++;
    else if (state === 'revoked' && status === 200) {
      counts.longestMs = Math.max(counts.longestMs, ms);
      if (ms > KNOWN_WITHIN_MS)
        on.accepted(`token ${token.id} was accepted ${ms.toFixed(0)} ms after it was revoked or lost`);
    }
    if (state === 'valid' && (status === 401 || status === 403) && ms > KNOWN_WITHIN_MS)
      on.rejected(`token ${token.id} got ${status} ${ms.toFixed(0)} ms after it became valid`);
  }

  return {
    changing: startLoop(CHANGE_PAUSE_MS, change),
    probing: startLoop(PROBE_PAUSE_MS, probe),
    read: () => readFrom(database.era),
    counts,
  };
}

/** When the server could start to learn the state of the token. */
const knownSince = ({ since, era }: Token): number => Math.max(since, era?.openedAt ?? 0);

/** Whether the era ended before the server could be expected to know the state of the token. */
const isUnlearned = (token: Token, era: Era): boolean => era.closedAt - knownSince(token) <= KNOWN_WITHIN_MS;
