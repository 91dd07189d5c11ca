import { hash, randomUUID } from 'node:crypto';
import type {
  FeatureRow,
  Listen,
  SegmentRow,
  Source,
  TokenRow,
} from '../../../../plane/src/serving/source.ts';
import type { Document, Flags, Overrides } from './documents.ts';
import { withOverrides } from './documents.ts';

/** The tokens that replace whatever token a request has sent. This is safe because the server listens only on this machine. */
export const TOKENS = { backend: '*:local.backend', frontend: '*:local.frontend' } as const;

const ENVIRONMENT = 'local';

export type LocalSource = {
  source: Source;
  listen: Listen;
  /** Replaces everything. Returns whether an SDK can notice it. */
  set: (flags: Flags, overrides: Overrides) => boolean;
};

/** What the data plane serves, from memory instead of a database. */
export function makeSource(): LocalSource {
  const epoch = randomUUID();
  const features = new Map<string, FeatureRow>();
  const segments = new Map<number, SegmentRow>();
  const listeners = new Set<() => void>();
  let revision = 1;

  const tokens: TokenRow[] = Object.entries(TOKENS).map(([type, text], n) => ({
    id: n + 1,
    hash: hash('sha256', text),
    type,
    environment: ENVIRONMENT,
    projects: null,
    expiresAt: null,
  }));
  const found = async () => ({ epoch, revision: 1, tokens, ended: [] });

  const set: LocalSource['set'] = (flags, overrides) => {
    const next = revision + 1;
    let isChanged = false;
    const put = <K, R extends { revision: number; document: string | null }>(
      rows: Map<K, R>,
      key: K,
      row: R,
    ) => {
      if (rows.get(key)?.document === row.document) return;
      rows.set(key, row);
      isChanged = true;
    };
    const wanted = withOverrides(flags, overrides);
    for (const [name, document] of wanted) put(features, name, rowOf(document, next));
    for (const [name, row] of features)
      if (!wanted.has(name)) put(features, name, { ...row, revision: next, document: null });
    const ids = new Set(flags.segments.map(({ id }) => id));
    for (const segment of flags.segments)
      put(segments, segment.id, { id: segment.id, revision: next, document: JSON.stringify(segment) });
    for (const [id, row] of segments)
      if (!ids.has(id)) put(segments, id, { ...row, revision: next, document: null });
    if (!isChanged) return false;
    revision = next;
    for (const listener of listeners) listener();
    return true;
  };

  return {
    set,
    listen: onChange => {
      listeners.add(onChange);
      return async () => void listeners.delete(onChange);
    },
    source: {
      positions: async () => ({
        epoch,
        now: new Date().toISOString(),
        tokenRevision: 1,
        // The server has checked the origin.
        origins: ['*'],
        environments: [{ environment: ENVIRONMENT, revision, completeSince: 0 }],
      }),
      changes: async (_environment, after) => ({
        epoch,
        revision,
        completeSince: 0,
        features: [...features.values()].filter(row => row.revision > after),
        segments: [...segments.values()].filter(row => row.revision > after),
      }),
      tokens: found,
      findTokens: async hashes => ({
        ...(await found()),
        tokens: tokens.filter(one => hashes.includes(one.hash)),
      }),
      reportUses: async () => {},
      isLost: async () => false,
    },
  };
}

const rowOf = (document: Document, revision: number): FeatureRow => ({
  // Flag names are unique, so one project is enough for all. With real projects, a flag that moves would have two rows.
  project: 'default',
  name: document.name,
  revision,
  document: JSON.stringify(document),
  segments: [...new Set((document.strategies ?? []).flatMap(strategy => strategy.segments ?? []))],
  tags: [],
});
