import { hash, randomUUID } from 'node:crypto';
import type { FeatureRow, Listen, SegmentRow, Source, TokenRow } from '@halyard/plane/serving/source.ts';
import type { Document, Flags, Overrides } from './documents.ts';
import { withOverrides } from './documents.ts';

/** The tokens that replace the token of every request. This is safe because the server listens only on this machine. */
export const TOKENS = { backend: '*:local.backend', frontend: '*:local.frontend' } as const;

const ENVIRONMENT = 'local';

export type LocalSource = {
  source: Source;
  listen: Listen;
  /** Replaces all flags and overrides. Returns whether SDKs can notice a difference. */
  set: (flags: Flags, overrides: Overrides) => boolean;
};

/** Creates a source that serves the data plane from memory instead of a database. */
export function makeSource(): LocalSource {
  const epoch = randomUUID();
  const features = new Map<string, FeatureRow>();
  const segments = new Map<number, SegmentRow>();
  const listeners = new Set<() => void>();
  let revision = 1;

  const tokens: TokenRow[] = Object.entries(TOKENS).map(([type, text], index) => ({
    id: index + 1,
    hash: hash('sha256', text),
    type,
    environment: ENVIRONMENT,
    projects: null,
    expiresAt: null,
  }));
  const readTokens = async () => ({ epoch, revision: 1, tokens, ended: [] });

  const set: LocalSource['set'] = (flags, overrides) => {
    const nextRevision = revision + 1;
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
    const documents = withOverrides(flags, overrides);
    for (const [name, document] of documents) put(features, name, toRow(document, nextRevision));
    for (const [name, row] of features)
      if (!documents.has(name)) put(features, name, { ...row, revision: nextRevision, document: null });
    const ids = new Set(flags.segments.map(({ id }) => id));
    for (const segment of flags.segments)
      put(segments, segment.id, {
        id: segment.id,
        revision: nextRevision,
        document: JSON.stringify(segment),
      });
    for (const [id, row] of segments)
      if (!ids.has(id)) put(segments, id, { ...row, revision: nextRevision, document: null });
    if (!isChanged) return false;
    revision = nextRevision;
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
        // Allows every origin, because the server has already checked the request's origin.
        origins: ['*'],
        environments: [{ environment: ENVIRONMENT, revision, completeSince: 0 }],
      }),
      changes: async (_environment, afterRevision) => ({
        epoch,
        revision,
        completeSince: 0,
        features: [...features.values()].filter(row => row.revision > afterRevision),
        segments: [...segments.values()].filter(row => row.revision > afterRevision),
      }),
      tokens: readTokens,
      findTokens: async hashes => ({
        ...(await readTokens()),
        tokens: tokens.filter(token => hashes.includes(token.hash)),
      }),
      reportUses: async () => {},
      isLost: async () => false,
    },
  };
}

const toRow = (document: Document, revision: number): FeatureRow => ({
  // All flags have the same project, because a flag that moves to a different project would otherwise have two rows.
  project: 'default',
  name: document.name,
  revision,
  document: JSON.stringify(document),
  segments: [...new Set((document.strategies ?? []).flatMap(strategy => strategy.segments ?? []))],
  tags: [],
});
