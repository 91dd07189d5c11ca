import { randomUUID } from 'node:crypto';
import type { CountAccumulator, CountBatch } from '@halyard/plane/counting/merged.ts';
import { MAX_BATCH_INSTANCES, MAX_BATCH_KEYS, type ReportBatch } from '@halyard/plane/feed/report.ts';
import type { TokenRow } from '@halyard/plane/serving/source.ts';
import { readIfPresent, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const FILE = 'metrics.json';
/** A server accepts reports of up to 4 MiB, including the clients in them. */
const MAX_BATCH_BYTES = 2 * 1_024 * 1_024;
/**
 * Sequence numbers are seconds since this time, so that they are never reused, even if the disk is lost. They last until 2094.
 */
const SEQUENCE_EPOCH_MS = Date.UTC(2026, 0, 1);

/** Limits of the open batch. What exceeds them is counted under one shared name, or dropped and counted as dropped. */
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
type StoredSpool = { edge: string; sequence: number; sealed?: ReportBatch; open: Contents };

export type Spool = {
  /** The permanent id of the edge. */
  readonly edge: string;
  /** The batch to send, which stays the same until it is accepted. */
  readonly sealed: ReportBatch | undefined;
  /** Seals what has arrived, unless a batch is being sent. Nothing is sent before it is on disk. */
  seal: () => Promise<void>;
  /** Removes the sealed batch, which was accepted or never will be. */
  removeSealed: () => Promise<void>;
  /** Writes what has arrived so far. */
  save: () => Promise<void>;
};

/** Keeps what SDKs reported until a server has it: one sealed batch, and everything else added up in memory and on disk. */
export async function openSpool(
  folder: string | undefined,
  merged: CountAccumulator,
  getToken: (id: number) => Pick<TokenRow, 'environment' | 'projects'>,
  log: Log,
): Promise<Spool> {
  let edge: string = randomUUID();
  let sequence = 0;
  let sealed: ReportBatch | undefined;
  let savedText = '';
  let isFailing = false;

  const load = async (): Promise<void> => {
    if (folder === undefined) return;
    try {
      const text = (await readIfPresent(folder, FILE))?.toString();
      if (text === undefined) return;
      const stored: StoredSpool = JSON.parse(text);
      ({ edge, sequence, sealed } = stored);
      restore(merged, stored.open, getToken);
    } catch (error) {
      log.warn({ err: error }, 'unsent metrics not readable, starting without them');
    }
  };

  const write = async (): Promise<void> => {
    if (folder === undefined) return;
    const stored: StoredSpool = {
      edge,
      sequence,
      ...(sealed && { sealed }),
      open: toContents(merged.peek()),
    };
    const text = JSON.stringify(stored);
    if (text === savedText) return;
    await replaceFile(folder, FILE, text);
    savedText = text;
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
  // Stores the id, which must not change from now on.
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
      const { first, rest } = splitContents(toContents(merged.take()), MAX_BATCH_BYTES);
      if (first.buckets.length + first.instances.length === 0) return;
      restore(merged, rest, getToken);
      sequence = Math.max(sequence + 1, Math.floor((Date.now() - SEQUENCE_EPOCH_MS) / 1_000));
      sealed = { sequence, ...first };
      await save();
    },
    removeSealed: async () => {
      sealed = undefined;
      await save();
    },
    save,
  };
}

/** Splits off as much as fits, counts first. At least one count or instance is in the first part. */
function splitContents({ buckets, instances }: Contents, max: number): { first: Contents; rest: Contents } {
  const first: Contents = { buckets: [], instances: [] };
  const rest: Contents = { buckets: [], instances: [] };
  let bytes = 0;
  const takeIfFits = (value: object): boolean => {
    if (bytes >= max) return false;
    const size = Buffer.byteLength(JSON.stringify(value));
    if (bytes > 0 && bytes + size > max) return false;
    bytes += size;
    return true;
  };
  for (const { features, ...bucket } of buckets) {
    if (!takeIfFits(bucket)) {
      rest.buckets.push({ ...bucket, features });
      continue;
    }
    const fittingFeatures = features.filter(takeIfFits);
    first.buckets.push({ ...bucket, features: fittingFeatures });
    if (fittingFeatures.length < features.length) {
      const fittingSet = new Set(fittingFeatures);
      rest.buckets.push({ ...bucket, features: features.filter(feature => !fittingSet.has(feature)) });
    }
  }
  for (const instance of instances) (takeIfFits(instance) ? first : rest).instances.push(instance);
  return { first, rest };
}

const toContents = ({ buckets, instances }: CountBatch): Contents => ({
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
  merged: CountAccumulator,
  { buckets, instances }: Contents,
  getToken: (id: number) => Pick<TokenRow, 'environment' | 'projects'>,
): void {
  for (const { token: id, application, hour, features } of buckets) {
    const { environment, projects } = getToken(id);
    const bucket = merged.bucket({ id, environment, projects: projects ?? undefined }, application, hour);
    for (const { name, yes, no, seenAt, variants = {} } of bucket ? features : []) {
      const counts = bucket && merged.counts(id, bucket, name);
      if (!counts) continue;
      counts.yes += yes;
      counts.no += no;
      counts.seenAt = Math.max(counts.seenAt, seenAt);
      const reportedFeature = { environment: environment ?? '', application, feature: name };
      for (const [variant, times] of Object.entries(variants))
        merged.countVariant(id, reportedFeature, counts, variant, times);
    }
  }
  for (const instance of instances)
    merged.addInstance({
      ...instance,
      environment: getToken(instance.token).environment ?? '',
      strategies: instance.strategies,
    });
}
