import type { IncomingHttpHeaders } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import { makeTurns } from '../platform/admission/turns.ts';
import type { Reporter, Reports } from '../serving/reports.ts';
import { type Bulk, instanceOf, isOf, readBulk, strategiesOf } from './bulk.ts';
import { type ImpactMetrics, makeImpactMetrics } from './impact.ts';
import {
  type Bucket,
  type IsKnown,
  MERGE_LIMITS,
  type Merged,
  type MergeLimits,
  makeMerged,
} from './merged.ts';
import { countOf, type Fields, hourOf, isFields, MAX_FEATURE_NAME, textOf, timeOf } from './read-body.ts';
import { runInTurns, type Steps } from './turns.ts';

/** Why something that an SDK reported is not stored. */
export const DROP_REASONS = ['limit', 'name', 'application', 'project', 'unknown-flag', 'rejected'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** The reports of SDKs, in memory until they are written. */
export type Usage = Reports & {
  readonly merged: Merged;
  readonly impact: ImpactMetrics;
  drop: (reason: DropReason, count: number) => void;
};

const NO_APPLICATION = 'unknown';
const NO_INSTANCE = 'default';
/** Variants of a feature that are read from one body. */
const MAX_VARIANTS = 1_000;
/** Features and variants that are counted before other requests get their turn, which is after about 5 ms. */
const KEYS_PER_TURN = 2_000;

export function makeUsage(registry: Registry, isKnown: IsKnown, limits: Partial<MergeLimits> = {}): Usage {
  const merged = makeMerged({ ...MERGE_LIMITS, ...limits }, isKnown);
  const dropped = usageMetrics(registry, merged);
  const impact = makeImpactMetrics(count => dropped('limit', count));
  const run = makeTurns();

  const see = (
    token: Reporter,
    headers: IncomingHttpHeaders,
    body: Fields,
    strategies?: string[],
  ): string => {
    const application = textOf(body.appName) ?? nameOf(headers) ?? NO_APPLICATION;
    const seen = merged.see({
      token: token.id,
      environment: token.environment ?? '',
      application,
      instanceId: textOf(body.instanceId) ?? textOf(body.connectionId) ?? NO_INSTANCE,
      sdkVersion:
        textOf(body.sdkVersion) ?? textOf(headers['unleash-sdk']) ?? textOf(headers['x-unleash-sdk']) ?? null,
      isFrontend: token.type === 'frontend',
      strategies,
      seenAt: Date.now(),
    });
    if (!seen) dropped('limit', 1);
    return application;
  };

  /** Returns how many features and variants it read. */
  const countFeature = (
    token: Reporter,
    bucket: Bucket,
    name: string,
    given: Fields,
    seenAt: number,
  ): number => {
    const known = bucket.features.get(name);
    const feature = known ? name : textOf(name, MAX_FEATURE_NAME + 1);
    if (feature === undefined || feature.length > MAX_FEATURE_NAME) {
      dropped('name', 1);
      return 1;
    }
    const counts = known ?? merged.counts(token.id, bucket, feature);
    if (!counts) {
      dropped('limit', 1);
      return 1;
    }
    counts.yes += countOf(given.yes);
    counts.no += countOf(given.no);
    if (seenAt > counts.seenAt) counts.seenAt = seenAt;
    const { environment, application } = bucket;
    const place = { environment, application, feature };
    const { variants } = given;
    if (!isFields(variants)) return 1;
    let read = 0;
    for (const name in variants) {
      if (++read > MAX_VARIANTS) {
        dropped('limit', 1);
        continue;
      }
      const variant = textOf(name);
      const times = countOf(variants[name]);
      if (variant === undefined || times === 0) continue;
      if (!merged.countVariant(token.id, place, counts, variant, times)) dropped('limit', 1);
    }
    return 1 + Math.min(read, MAX_VARIANTS);
  };

  function* countToggles(token: Reporter, application: string, stop: number, toggles: Fields): Steps {
    // Checked again after every turn, because a flush may have taken the bucket.
    const open = () => merged.bucket(token, application, hourOf(stop));
    const seenAt = Math.min(stop, Date.now());
    let bucket = open();
    let read = 0;
    for (const name in toggles) {
      const given = toggles[name];
      if (!isFields(given)) read++;
      else if (bucket) read += countFeature(token, bucket, name, given, seenAt);
      else {
        dropped('limit', 1);
        read++;
      }
      if (read < KEYS_PER_TURN) continue;
      read = 0;
      yield;
      bucket = open();
    }
  }

  function* countReport(token: Reporter, application: string, { bucket, impactMetrics }: Fields): Steps {
    if (isFields(bucket) && isFields(bucket.toggles))
      yield* countToggles(token, application, timeOf(bucket.stop, Date.now()), bucket.toggles);
    yield* impact.add(token.id, impactMetrics);
  }

  /** Entries for a different environment are skipped. */
  function* countBulk(
    token: Reporter,
    environment: string,
    { applications, metrics }: Bulk,
    impactMetrics: unknown,
  ): Steps {
    let read = 0;
    for (const item of applications) {
      if (isOf(item, environment)) {
        const instance = { ...instanceOf(item, environment), token: token.id, seenAt: Date.now() };
        if (!merged.see(instance)) dropped('limit', 1);
        read += instance.strategies?.length ?? 0;
      }
      if (++read < KEYS_PER_TURN) continue;
      read = 0;
      yield;
    }
    for (const item of metrics) {
      if (isOf(item, environment)) {
        const now = Date.now();
        const stop = timeOf(item.timestamp, now);
        const bucket = merged.bucket(token, textOf(item.appName) ?? '', hourOf(stop));
        if (bucket) read += countFeature(token, bucket, String(item.featureName), item, Math.min(stop, now));
        else dropped('limit', 1);
      }
      if (++read < KEYS_PER_TURN) continue;
      read = 0;
      yield;
    }
    yield* impact.add(token.id, impactMetrics);
  }

  return {
    merged,
    impact,
    drop: dropped,
    register: (token, headers, body) => {
      if (token.environment === null) return;
      see(token, headers, body, strategiesOf(body.strategies) ?? []);
    },
    report: (token, headers, body) => {
      if (token.environment === null) return undefined;
      return runInTurns(run, token.id, countReport(token, see(token, headers, body), body));
    },
    reportBulk: (token, body) => {
      const bulk = readBulk(body);
      const { environment } = token;
      if (environment === null) return undefined;
      return runInTurns(run, token.id, countBulk(token, environment, bulk, body.impactMetrics));
    },
  };
}

const nameOf = (headers: IncomingHttpHeaders): string | undefined =>
  textOf(headers['unleash-appname']) ?? textOf(headers['x-unleash-appname']);

function usageMetrics(registry: Registry, merged: Merged): Usage['drop'] {
  const registers = [registry];
  new Gauge({
    name: 'halyard_metrics_keys',
    help: 'Counts of features and variants in memory that are not written yet',
    registers,
    collect() {
      this.set(merged.keys);
    },
  });
  // Plain numbers, because a labelled counter costs a microsecond, and a body can have 50,000 counts that are dropped.
  const counts = Object.fromEntries(DROP_REASONS.map(reason => [reason, 0])) as Record<DropReason, number>;
  new Counter({
    name: 'halyard_metrics_dropped_total',
    help: 'Counts of SDKs that are not stored, by reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const reason of DROP_REASONS) this.inc({ reason }, counts[reason]);
    },
  });
  return (reason, count) => {
    counts[reason] += count;
  };
}
