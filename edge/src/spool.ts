import { randomUUID } from 'node:crypto';
import type { Merged, Taken } from '../../plane/src/counting/merged.ts';
import { MAX_BATCH_INSTANCES, MAX_BATCH_KEYS, type ReportBatch } from '../../plane/src/feed/report.ts';
import type { TokenRow } from '../../plane/src/serving/source.ts';
import { readIfPresent, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const FILE = 'metrics.json';
/** A server accepts a report of 4 MiB, with the clients in it. */
const MAX_BATCH_BYTES = 2 * 1_024 * 1_024;
/**
 * Sequence numbers are seconds since this time, so that they are never reused, even if the disk is lost. They last until 2094.
 */
const SEQUENCE_EPOCH_MS = Date.UTC(2026, 0, 1);

/** Limits of the open batch. What exceeds them is counted under one common name, or dropped and counted as dropped. */
export const SPOOL_LIMITS = {
  keysPerToken: MAX_BATCH_KEYS,
  keys: MAX_BATCH_KEYS,
  applicationsPerToken: 500,
  unknownFlagsPerToken: 200,
  unknownVariantsPerToken: 200,
  instancesPerToken: 2_000,
  instances: MAX_BATCH_INSTANCES,
};

type Contents = Omit<ReportBatch, 'sequence'>;
type Stored = { edge: string; sequence: number; sealed?: ReportBatch; open: Contents };

export type Spool = {
  /** The permanent id of the edge. */
  readonly edge: string;
  /** The batch to send, which stays the same until it is accepted. */
  readonly sealed: ReportBatch | undefined;
  /** Seals what has arrived, unless a batch is under way. Nothing is sent before it is on disk. */
  seal: () => Promise<void>;
  /** Removes the sealed batch, because it was accepted or will never be. */
  done: () => Promise<void>;
  /** Writes what has arrived so far. */
  save: () => Promise<void>;
};

/** What SDKs report, until a server has it: one sealed batch, and everything else added up in memory and on disk. */
export async function openSpool(
  folder: string | undefined,
  merged: Merged,
  tokenOf: (id: number) => Pick<TokenRow, 'environment' | 'projects'>,
  log: Log,
): Promise<Spool> {
  let edge: string = randomUUID();
  let sequence = 0;
  let sealed: ReportBatch | undefined;
  let saved = '';
  let isFailing = false;

  const load = async (): Promise<void> => {
    if (folder === undefined) return;
    try {
      const text = (await readIfPresent(folder, FILE))?.toString();
      if (text === undefined) return;
      const stored: Stored = JSON.parse(text);
      ({ edge, sequence, sealed } = stored);
      restore(merged, stored.open, tokenOf);
    } catch (error) {
      log.warn({ err: error }, 'unsent metrics not readable, starting without them');
    }
  };

  const write = async (): Promise<void> => {
    if (folder === undefined) return;
    const stored: Stored = { edge, sequence, ...(sealed && { sealed }), open: contentsOf(merged.peek()) };
    const text = JSON.stringify(stored);
    if (text === saved) return;
    await replaceFile(folder, FILE, text);
    saved = text;
  };

  /** If the disk fails, the edge continues to report from memory. */
  const save = (): Promise<void> =>
    write().then(
      () => {
        if (isFailing) log.warn({ folder }, 'unsent metrics written after failures');
        isFailing = false;
      },
      error => {
        if (!isFailing) log.warn({ err: error, folder }, 'unsent metrics not written');
        isFailing = true;
      },
    );

  await load();
  // From now on, the id does not change.
  await save();
  return {
    get edge() {
      return edge;
    },
    get sealed() {
      return sealed;
    },
    seal: async () => {
      if (sealed) return;
      const { first, rest } = split(contentsOf(merged.take()), MAX_BATCH_BYTES);
      if (first.buckets.length + first.instances.length === 0) return;
      restore(merged, rest, tokenOf);
      sequence = Math.max(sequence + 1, Math.floor((Date.now() - SEQUENCE_EPOCH_MS) / 1_000));
      sealed = { sequence, ...first };
      await save();
    },
    done: async () => {
      sealed = undefined;
      await save();
    },
    save,
  };
}

/** As much as fits, counts first, and what is left. At least one count or instance is in the first part. */
function split({ buckets, instances }: Contents, most: number): { first: Contents; rest: Contents } {
  const first: Contents = { buckets: [], instances: [] };
  const rest: Contents = { buckets: [], instances: [] };
  let bytes = 0;
  const fits = (value: object): boolean => {
    if (bytes >= most) return false;
    const size = Buffer.byteLength(JSON.stringify(value));
    if (bytes > 0 && bytes + size > most) return false;
    bytes += size;
    return true;
  };
  for (const { features, ...bucket } of buckets) {
    if (!fits(bucket)) {
      rest.buckets.push({ ...bucket, features });
      continue;
    }
    const kept = features.filter(fits);
    first.buckets.push({ ...bucket, features: kept });
    if (kept.length < features.length) {
      const taken = new Set(kept);
      rest.buckets.push({ ...bucket, features: features.filter(one => !taken.has(one)) });
    }
  }
  for (const instance of instances) (fits(instance) ? first : rest).instances.push(instance);
  return { first, rest };
}

const contentsOf = ({ buckets, instances }: Taken): Contents => ({
  buckets: buckets.map(({ token, application, hour, features }) => ({
    token,
    application,
    hour,
    features: [...features].map(([name, { yes, no, seenAt, variants }]) => ({
      name,
      yes,
      no,
      seenAt,
      ...(variants && { variants: Object.fromEntries(variants) }),
    })),
  })),
  instances: instances.map(({ environment: _, strategies, ...rest }) => ({
    ...rest,
    ...(strategies && { strategies }),
  })),
});

function restore(
  merged: Merged,
  { buckets, instances }: Contents,
  tokenOf: (id: number) => Pick<TokenRow, 'environment' | 'projects'>,
): void {
  for (const { token: id, application, hour, features } of buckets) {
    const { environment, projects } = tokenOf(id);
    const bucket = merged.bucket({ id, environment, projects: projects ?? undefined }, application, hour);
    for (const { name, yes, no, seenAt, variants = {} } of bucket ? features : []) {
      const counts = bucket && merged.counts(id, bucket, name);
      if (!counts) continue;
      counts.yes += yes;
      counts.no += no;
      counts.seenAt = Math.max(counts.seenAt, seenAt);
      const place = { environment: environment ?? '', application, feature: name };
      for (const [variant, times] of Object.entries(variants))
        merged.countVariant(id, place, counts, variant, times);
    }
  }
  for (const instance of instances)
    merged.see({
      ...instance,
      environment: tokenOf(instance.token).environment ?? '',
      strategies: instance.strategies,
    });
}
