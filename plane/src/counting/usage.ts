import type { IncomingHttpHeaders } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import { makeTurns } from '../platform/admission/turns.ts';
import type { Reporter, Reports } from '../serving/reports.ts';
import { type Bulk, isInEnvironment, readBulk, readStrategies, toInstance } from './bulk.ts';
import { type ImpactMetrics, makeImpactMetrics } from './impact.ts';
import {
  type Bucket,
  type CountAccumulator,
  type IsKnown,
  MERGE_LIMITS,
  type MergeLimits,
  makeCountAccumulator,
} from './merged.ts';
import {
  isJsonObject,
  type JsonObject,
  MAX_FEATURE_NAME,
  readCount,
  readText,
  readTime,
  toHour,
} from './read-body.ts';
import { runInTurns, type Steps } from './turns.ts';

/** Why counts or instances that an SDK reported are not stored. */
export const DROP_REASONS = ['limit', 'name', 'application', 'project', 'unknown-flag', 'rejected'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** What SDKs reported, in memory until it is written. */
export type Usage = Reports & {
  readonly merged: CountAccumulator;
  readonly impact: ImpactMetrics;
  drop: (reason: DropReason, count: number) => void;
};

const NO_APPLICATION = 'unknown';
const NO_INSTANCE = 'default';
/** The maximum number of variants to read per feature in one body. */
const MAX_VARIANTS = 1_000;
/** How many features and variants are counted before other requests get a turn, which takes about 5 ms. */
const KEYS_PER_TURN = 2_000;

export function makeUsage(registry: Registry, isKnown: IsKnown, limits: Partial<MergeLimits> = {}): Usage {
  const merged = makeCountAccumulator({ ...MERGE_LIMITS, ...limits }, isKnown);
  const drop = registerUsageMetrics(registry, merged);
  const impact = makeImpactMetrics(count => drop('limit', count));
  const runInTurn = makeTurns();

  const recordInstance = (
    token: Reporter,
    headers: IncomingHttpHeaders,
    body: JsonObject,
    strategies?: string[],
  ): string => {
    const application = readText(body.appName) ?? readName(headers) ?? NO_APPLICATION;
    const hasRoom = merged.addInstance({
      token: token.id,
      environment: token.environment ?? '',
      application,
      instanceId: readText(body.instanceId) ?? readText(body.connectionId) ?? NO_INSTANCE,
      sdkVersion:
        readText(body.sdkVersion) ??
        readText(headers['unleash-sdk']) ??
        readText(headers['x-unleash-sdk']) ??
        null,
      isFrontend: token.type === 'frontend',
      strategies,
      seenAt: Date.now(),
    });
    if (!hasRoom) drop('limit', 1);
    return application;
  };

  /** Returns the number of features and variants that it read. */
  const countFeature = (
    token: Reporter,
    bucket: Bucket,
    name: string,
    toggle: JsonObject,
    seenAt: number,
  ): number => {
    const existing = bucket.features.get(name);
    const feature = existing ? name : readText(name, MAX_FEATURE_NAME + 1);
    if (feature === undefined || feature.length > MAX_FEATURE_NAME) {
      drop('name', 1);
      return 1;
    }
    const counts = existing ?? merged.counts(token.id, bucket, feature);
    if (!counts) {
      drop('limit', 1);
      return 1;
    }
    counts.yes += readCount(toggle.yes);
    counts.no += readCount(toggle.no);
    if (seenAt > counts.seenAt) counts.seenAt = seenAt;
    const { environment, application } = bucket;
    const reportedFeature = { environment, application, feature };
    const { variants } = toggle;
    if (!isJsonObject(variants)) return 1;
    let variantsRead = 0;
    for (const name in variants) {
      if (++variantsRead > MAX_VARIANTS) {
        drop('limit', 1);
        continue;
      }
      const variant = readText(name);
      const times = readCount(variants[name]);
      if (variant === undefined || times === 0) continue;
      if (!merged.countVariant(token.id, reportedFeature, counts, variant, times)) drop('limit', 1);
    }
    return 1 + Math.min(variantsRead, MAX_VARIANTS);
  };

  function* countToggles(token: Reporter, application: string, stop: number, toggles: JsonObject): Steps {
    // Looked up again after every turn, because a flush may have taken the bucket.
    const findBucket = () => merged.bucket(token, application, toHour(stop));
    const seenAt = Math.min(stop, Date.now());
    let bucket = findBucket();
    let keysRead = 0;
    for (const name in toggles) {
      const toggle = toggles[name];
      if (!isJsonObject(toggle)) keysRead++;
      else if (bucket) keysRead += countFeature(token, bucket, name, toggle, seenAt);
      else {
        drop('limit', 1);
        keysRead++;
      }
      if (keysRead < KEYS_PER_TURN) continue;
      keysRead = 0;
      yield;
      bucket = findBucket();
    }
  }

  function* countReport(token: Reporter, application: string, { bucket, impactMetrics }: JsonObject): Steps {
    if (isJsonObject(bucket) && isJsonObject(bucket.toggles))
      yield* countToggles(token, application, readTime(bucket.stop, Date.now()), bucket.toggles);
    yield* impact.add(token.id, impactMetrics);
  }

  /** Skips entries for a different environment. */
  function* countBulk(
    token: Reporter,
    environment: string,
    { applications, metrics }: Bulk,
    impactMetrics: unknown,
  ): Steps {
    let keysRead = 0;
    for (const item of applications) {
      if (isInEnvironment(item, environment)) {
        const instance = { ...toInstance(item, environment), token: token.id, seenAt: Date.now() };
        if (!merged.addInstance(instance)) drop('limit', 1);
        keysRead += instance.strategies?.length ?? 0;
      }
      if (++keysRead < KEYS_PER_TURN) continue;
      keysRead = 0;
      yield;
    }
    for (const item of metrics) {
      if (isInEnvironment(item, environment)) {
        const now = Date.now();
        const stop = readTime(item.timestamp, now);
        const bucket = merged.bucket(token, readText(item.appName) ?? '', toHour(stop));
        if (bucket)
          keysRead += countFeature(token, bucket, String(item.featureName), item, Math.min(stop, now));
        else drop('limit', 1);
      }
      if (++keysRead < KEYS_PER_TURN) continue;
      keysRead = 0;
      yield;
    }
    yield* impact.add(token.id, impactMetrics);
  }

  return {
    merged,
    impact,
    drop,
    register: (token, headers, body) => {
      if (token.environment === null) return;
      recordInstance(token, headers, body, readStrategies(body.strategies) ?? []);
    },
    report: (token, headers, body) => {
      if (token.environment === null) return undefined;
      return runInTurns(runInTurn, token.id, countReport(token, recordInstance(token, headers, body), body));
    },
    reportBulk: (token, body) => {
      const bulk = readBulk(body);
      const { environment } = token;
      if (environment === null) return undefined;
      return runInTurns(runInTurn, token.id, countBulk(token, environment, bulk, body.impactMetrics));
    },
  };
}

const readName = (headers: IncomingHttpHeaders): string | undefined =>
  readText(headers['unleash-appname']) ?? readText(headers['x-unleash-appname']);

function registerUsageMetrics(registry: Registry, merged: CountAccumulator): Usage['drop'] {
  const registers = [registry];
  new Gauge({
    name: 'halyard_metrics_keys',
    help: 'Feature and variant counts in memory that have not been written yet',
    registers,
    collect() {
      this.set(merged.keys);
    },
  });
  // Plain numbers, because a labeled counter costs a microsecond, and a body can have 50,000 counts that are dropped.
  const counts = Object.fromEntries(DROP_REASONS.map(reason => [reason, 0])) as Record<DropReason, number>;
  new Counter({
    name: 'halyard_metrics_dropped_total',
    help: 'Counts reported by SDKs that were not stored, by reason',
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
