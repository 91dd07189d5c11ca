import { hash } from 'node:crypto';
import { type Loop, startLoop } from '../load.ts';
import { type Response, send } from '../requests.ts';
import type { Era, FailingDatabase } from './database.ts';
import { ENVIRONMENT } from './writers.ts';

/** A server must apply a token change within 1 s. The other 4 s allow for a busy machine and for reconnecting after a failover. */
const MAX_PROPAGATION_MS = 5_000;
const CHANGE_PAUSE_MS = 250;
const PROBE_PAUSE_MS = 100;
const MAX_TOKENS = 60;
const TYPES = ['backend', 'frontend'] as const;
const PATHS = { backend: '/api/client/features', frontend: '/api/frontend' };

type Token = {
  id: number;
  secret: string;
  type: (typeof TYPES)[number];
  /** The state is unknown if a request to change the token failed. */
  state: 'valid' | 'revoked' | 'unknown';
  /** When the token reached this state, or when the state was read from the database. */
  changedAt: number;
  /**
   * The era (the time between two failovers) whose database the state was read from. The state may be read before the server can
   * reach that database. Undefined if a request to the server set the state.
   */
  era?: Era | undefined;
};

export type TokenWorkload = {
  changeLoop: Loop;
  probeLoop: Loop;
  /** Compares the tokens with the database, and counts lost and resurrected ones. Do not change tokens while it runs. */
  reconcile: () => Promise<void>;
  counts: {
    probes: number;
    /** Valid tokens whose creation was lost. */
    lostTokens: number;
    /** Revoked tokens that are valid again, because their revocation was lost. */
    resurrectedTokens: number;
    /** The longest time for which a token was still accepted after it was revoked or lost. */
    longestAcceptedAfterRevocationMs: number;
    /**
     * Requests accepted with a revoked token, because the database became unreachable before the server's deadline for applying
     * the revocation.
     */
    acceptedBeforeDeadline: number;
  };
};

/** Creates and revokes tokens, and constantly uses all of them, even those that are revoked or lost. */
export function startTokenWorkload(
  server: string,
  database: FailingDatabase,
  random: () => number,
  recordIfFailed: (response: Response) => void,
  report: { wronglyAccepted: (problem: string) => void; wronglyRejected: (problem: string) => void },
): TokenWorkload {
  let tokens: Token[] = [];
  const counts = {
    probes: 0,
    lostTokens: 0,
    resurrectedTokens: 0,
    longestAcceptedAfterRevocationMs: 0,
    acceptedBeforeDeadline: 0,
  };
  let closedEra: Era | undefined;

  const reconcileWith = async (era: Era): Promise<void> => {
    const { rows } = await era.pool.query<{ hash: string }>(
      `select encode(hash, 'hex') as hash from api_tokens where revoked_at is null`,
    );
    const storedHashes = new Set(rows.map(row => row.hash));
    for (const token of tokens) {
      const state = storedHashes.has(hash('sha256', token.secret)) ? 'valid' : 'revoked';
      // If the previous era was open long enough for the server to see this state, the old deadline still applies.
      if (state === token.state && !(closedEra && closedEra !== era && endedBeforeDeadline(closedEra, token)))
        continue;
      if (token.state !== 'unknown' && token.state !== state)
        counts[state === 'valid' ? 'resurrectedTokens' : 'lostTokens']++;
      Object.assign(token, { state, changedAt: performance.now(), era });
    }
  };

  database.listen({
    onClosed: async era => {
      closedEra = era;
    },
    onOpening: async era => {
      await reconcileWith(era);
      closedEra = undefined;
    },
  });

  async function change(): Promise<void> {
    const { era } = database;
    const candidate = tokens.filter(({ state }) => state === 'valid').at(Math.floor(random() * 10));
    const isRevocation = candidate !== undefined && random() < 0.45;
    const type = TYPES[Math.floor(random() * 2)] ?? 'backend';
    const body = { tokenName: `token-${Math.floor(random() * 1e9)}`, type, environment: ENVIRONMENT };
    if (isRevocation) candidate.state = 'unknown';
    const response = isRevocation
      ? await send(server, 'DELETE', `/api/admin/api-tokens/${candidate.id}`)
      : await send(server, 'POST', '/api/admin/api-tokens', body);
    recordIfFailed(response);
    const changedAt = performance.now();
    const isKnown =
      era === database.era && era.state === 'open' && response.status < 300 && response.status > 0;
    if (isRevocation && isKnown) Object.assign(candidate, { state: 'revoked', changedAt, era: undefined });
    if (isRevocation || response.status !== 201) return;
    const { id, secret } = JSON.parse(response.text) as { id: number; secret: string };
    tokens.push({ id, secret, type, state: isKnown ? 'valid' : 'unknown', changedAt });
    tokens = tokens.slice(-MAX_TOKENS);
  }

  async function probe(): Promise<void> {
    const token = tokens[Math.floor(random() * tokens.length)];
    if (token === undefined) return;
    const { state, changedAt } = token;
    const { era } = database;
    const visibleAt = computeFirstVisibleAt(token);
    const sentAt = performance.now();
    const { status } = await send(server, 'GET', PATHS[token.type], undefined, token.secret);
    counts.probes++;
    // The token's state may have changed in the meantime.
    if (token.state !== state || token.changedAt !== changedAt || era !== database.era) return;
    const elapsedMs = sentAt - visibleAt;
    if (state === 'revoked' && status === 200 && sentAt > era.closedAt && endedBeforeDeadline(era, token))
      counts.acceptedBeforeDeadline++;
    else if (state === 'revoked' && status === 200) {
      counts.longestAcceptedAfterRevocationMs = Math.max(counts.longestAcceptedAfterRevocationMs, elapsedMs);
      if (elapsedMs > MAX_PROPAGATION_MS)
        report.wronglyAccepted(
          `token ${token.id} was accepted ${elapsedMs.toFixed(0)} ms after it was revoked or lost`,
        );
    }
    if (state === 'valid' && (status === 401 || status === 403) && elapsedMs > MAX_PROPAGATION_MS)
      report.wronglyRejected(
        `token ${token.id} was rejected with ${status}, ${elapsedMs.toFixed(0)} ms after it became valid`,
      );
  }

  return {
    changeLoop: startLoop(CHANGE_PAUSE_MS, change),
    probeLoop: startLoop(PROBE_PAUSE_MS, probe),
    reconcile: () => reconcileWith(database.era),
    counts,
  };
}

/** Returns when the server could first see the token's state. */
const computeFirstVisibleAt = ({ changedAt, era }: Token): number => Math.max(changedAt, era?.openedAt ?? 0);

/** Returns whether the era ended before the server's deadline for applying the token's state. */
const endedBeforeDeadline = (era: Era, token: Token): boolean =>
  era.closedAt - computeFirstVisibleAt(token) <= MAX_PROPAGATION_MS;
