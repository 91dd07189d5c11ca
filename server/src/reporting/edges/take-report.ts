import { hash } from 'node:crypto';
import { makeMerged } from '../../../../plane/src/counting/merged.ts';
import {
  countOf,
  hourOf,
  MAX_FEATURE_NAME,
  textOf,
  timeOf,
} from '../../../../plane/src/counting/read-body.ts';
import { feedOf } from '../../../../plane/src/feed/publisher.ts';
import {
  type EdgeReport,
  type EdgeReportResult,
  MAX_BATCH_INSTANCES,
  MAX_BATCH_KEYS,
  type ReportBatch,
} from '../../../../plane/src/feed/report.ts';
import { badData, tooManyRequests } from '../../../../plane/src/platform/errors.ts';
import type { ServingState } from '../../../../plane/src/serving/state/serving.ts';
import type { SdkToken } from '../../../../plane/src/serving/tokens/tokens.ts';
import { isOfFeed } from '../../../../plane/src/snapshot/take.ts';
import type { Db } from '../../platform/db/database.ts';
import { isRejection } from '../../platform/db/failures.ts';
import { makeInstanceRecorder } from '../applications/see-instances.ts';
import { rowsOf } from '../metrics/batches.ts';
import { makeWriteOnce } from '../metrics/write-once.ts';
import { hearFromEdge } from '../reach/hear-from-edge.ts';
import { upsertEdge } from './store.ts';

/** Names are counted as an edge reports them: it has applied the quotas of its tokens already. */
const LIMITS = {
  keysPerToken: MAX_BATCH_KEYS,
  keys: 2 * MAX_BATCH_KEYS,
  applicationsPerToken: 1_000,
  unknownFlagsPerToken: 1_000,
  unknownVariantsPerToken: 1_000,
  instancesPerToken: MAX_BATCH_INSTANCES,
  instances: 2 * MAX_BATCH_INSTANCES,
};

const RETRY_AFTER_SECONDS = 60;
const HOUR_MS = 3_600_000;

/** Counts that are older than a day belong to the oldest hour that can be written. */
const possibleHour = (hour: number): number => hourOf(timeOf(hour * HOUR_MS, Date.now()));

/**
 * A UUID, like the batch ids of servers. It is derived from the token's id as well, so an edge cannot use up the numbers of a
 * different edge.
 */
const sourceOf = (id: string): string => hash('sha256', `edge ${id}`).slice(0, 32);

/** Takes the reports of edges. An edge can report only for the tokens of its feed, whatever it sends. */
export function makeTakeReport(
  db: Db,
  state: ServingState,
): (token: SdkToken, report: EdgeReport) => Promise<EdgeReportResult> {
  const recordInstances = makeInstanceRecorder();
  const writeOnce = makeWriteOnce(db);

  /** The tokens of the feed by their ids. A token that was revoked meanwhile counts as the token of the edge. */
  const reporters = (edge: SdkToken): ((id: number) => SdkToken) => {
    const feed = feedOf(edge);
    const known = new Map(
      [...state.tokens.all()].filter(token => isOfFeed(token, feed)).map(token => [token.id, token]),
    );
    return id => known.get(id) ?? edge;
  };

  const writeBatch = async (
    source: string,
    batch: ReportBatch,
    tokenOf: (id: number) => SdkToken,
  ): Promise<void> => {
    const merged = makeMerged(LIMITS, state.hasFeature);
    for (const { token: id, application, hour, features } of batch.buckets) {
      const token = tokenOf(id);
      const bucket = merged.bucket(token, textOf(application) ?? 'unknown', possibleHour(hour));
      for (const { name, yes, no, seenAt, variants = {} } of bucket ? features : []) {
        const feature = textOf(name, MAX_FEATURE_NAME);
        const counts = bucket && feature !== undefined && merged.counts(token.id, bucket, feature);
        if (!counts || feature === undefined) continue;
        counts.yes += countOf(yes);
        counts.no += countOf(no);
        counts.seenAt = Math.max(counts.seenAt, Math.min(seenAt, Date.now()));
        const place = { environment: token.environment ?? '', application, feature };
        for (const [given, times] of Object.entries(variants)) {
          const variant = textOf(given);
          if (variant !== undefined) merged.countVariant(token.id, place, counts, variant, countOf(times));
        }
      }
    }
    for (const {
      token: id,
      instanceId,
      application,
      sdkVersion,
      strategies = [],
      ...rest
    } of batch.instances)
      merged.see({
        ...rest,
        token: tokenOf(id).id,
        environment: tokenOf(id).environment ?? '',
        application: textOf(application) ?? 'unknown',
        instanceId: textOf(instanceId) ?? 'default',
        sdkVersion: textOf(sdkVersion) ?? null,
        strategies: strategies.map(one => textOf(one)).filter(one => one !== undefined),
        seenAt: Math.min(rest.seenAt, Date.now()),
      });
    const { buckets, instances } = merged.take();
    const rows = [...rowsOf(buckets, Number.POSITIVE_INFINITY)].flat();
    if (rows.length > 0) await writeOnce(source, { number: batch.sequence, rows });
    if (instances.length > 0) await recordInstances(db, instances);
  };

  const take = async (edge: SdkToken, report: EdgeReport): Promise<EdgeReportResult> => {
    const id = `${edge.id}.${report.edge}`;
    const tokenOf = reporters(edge);
    if (
      !(await upsertEdge(db, id, edge.id, {
        ...report,
        version: textOf(report.version) ?? 'unknown',
        epoch: textOf(report.epoch) ?? '',
      }))
    )
      throw tooManyRequests('This token has too many edges. Create another one.', RETRY_AFTER_SECONDS);
    for (const used of report.uses) tokenOf(used).used = true;
    const heard = newestOf(
      report.heard.map(one => {
        const { environment, projects } = tokenOf(one.token);
        const names = {
          application: textOf(one.application) ?? 'unknown',
          instance: textOf(one.instance) ?? 'unknown',
        };
        return {
          ...one,
          token: tokenOf(one.token).id,
          id: textOf(one.id) ?? 'unknown',
          epoch: textOf(one.epoch) ?? '',
          ...(one.application === undefined ? {} : names),
          environment: environment ?? '',
          projects: projects ?? null,
        };
      }),
    );
    const requests = report.requests
      .filter(one => one.environment === edge.environment)
      .map(one => ({ ...one, requests: countOf(one.requests) }));
    const result = await hearFromEdge(db, id, edge.environment ?? '', { ...report, heard, requests });
    if (report.batch) await writeBatch(sourceOf(id), report.batch, tokenOf);
    return result;
  };

  return async (edge, report) => {
    try {
      return await take(edge, report);
    } catch (error) {
      // An edge repeats a report after any other error, and would repeat this one forever.
      if (!isRejection(error)) throw error;
      const rejected = badData([
        { message: 'the database rejects the values of this report', path: '/body' },
      ]);
      throw Object.assign(rejected, { cause: error });
    }
  };
}

/** One row per instance: a statement can write each only once. */
function newestOf<T extends { token: number; id: string }>(heard: T[]): T[] {
  return [...new Map(heard.map(one => [`${one.token} ${one.id}`, one])).values()];
}
