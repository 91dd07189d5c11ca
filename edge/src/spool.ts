import { randomUUID } from 'node:crypto';
import type { Merged, Taken } from '../../plane/src/counting/merged.ts';
import { MAX_BATCH_INSTANCES, MAX_BATCH_KEYS, type ReportBatch } from '../../plane/src/feed/report.ts';
import type { TokenRow } from '../../plane/src/serving/source.ts';
import { readIfPresent, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const FILE = 'metrics.json';

/** Limits of the open aggregate, which is sent as one batch. The excess is counted under one name, or dropped and counted. */
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
  /** The id of the edge, which it keeps. */
  readonly edge: string;
  /** The batch that is to be sent: the same one until it was accepted. */
  readonly sealed: ReportBatch | undefined;
  /** Seals what has arrived, unless a batch is under way. Nothing is sent before it is on disk. */
  seal: () => Promise<void>;
  /** The sealed batch was accepted, or will never be. */
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

  const save = async (): Promise<void> => {
    if (folder === undefined) return;
    const stored: Stored = { edge, sequence, ...(sealed && { sealed }), open: contentsOf(merged.peek()) };
    const text = JSON.stringify(stored);
    if (text === saved) return;
    await replaceFile(folder, FILE, text);
    saved = text;
  };

  await load();
  // The id lasts from now on.
  await save().catch(error => log.warn({ err: error }, 'id of the edge not written'));
  return {
    get edge() {
      return edge;
    },
    get sealed() {
      return sealed;
    },
    seal: async () => {
      if (sealed) return;
      const contents = contentsOf(merged.take());
      if (contents.buckets.length + contents.instances.length === 0) return;
      sealed = { sequence: ++sequence, ...contents };
      await save();
    },
    done: async () => {
      sealed = undefined;
      await save();
    },
    save,
  };
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
