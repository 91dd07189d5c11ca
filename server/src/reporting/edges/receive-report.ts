import { hash } from 'node:crypto';
import { makeCountAccumulator } from '@halyard/plane/counting/merged.ts';
import {
  MAX_FEATURE_NAME,
  readCount,
  readText,
  readTime,
  toHour,
} from '@halyard/plane/counting/read-body.ts';
import { toFeed } from '@halyard/plane/feed/publisher.ts';
import {
  type EdgeReport,
  type EdgeReportResult,
  MAX_BATCH_INSTANCES,
  MAX_BATCH_KEYS,
  type ReportBatch,
} from '@halyard/plane/feed/report.ts';
import { badData, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import type { ServingState } from '@halyard/plane/serving/state/serving.ts';
import type { SdkToken } from '@halyard/plane/serving/tokens/tokens.ts';
import { belongsToFeed } from '@halyard/plane/snapshot/take.ts';
import type { Db } from '../../platform/db/database.ts';
import { isRejectedValue } from '../../platform/db/failures.ts';
import { makeInstanceRecorder } from '../applications/record-instances.ts';
import { batchRows } from '../metrics/batches.ts';
import { makeEdgeBatchWriter } from '../metrics/edge-batch-writer.ts';
import { recordEdgeSightings } from '../reach/edge-sightings.ts';
import { upsertEdge } from './store.ts';

/** Names are counted as an edge reports them, because the edge has already applied the quotas of its tokens. */
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

/** Moves counts that are older than a day to the oldest hour that can be written. */
const clampHour = (hour: number): number => toHour(readTime(hour * HOUR_MS, Date.now()));

/**
 * Returns a UUID, like the batch ids of servers. `id` contains the token's id, so an edge cannot use up the batch numbers of a
 * different token's edge.
 */
const deriveSource = (id: string): string => hash('sha256', `edge ${id}`).slice(0, 32);

/**
 * Creates the function that processes the reports of edges. An edge can report only for its feed's tokens, no matter what it sends.
 */
export function makeReportReceiver(
  db: Db,
  state: ServingState,
): (token: SdkToken, report: EdgeReport) => Promise<EdgeReportResult> {
  const recordInstances = makeInstanceRecorder();
  const writeEdgeBatch = makeEdgeBatchWriter(db);

  /** Creates a lookup of the feed's tokens by id. Anything reported for a revoked token counts for the edge's own token. */
  const makeTokenLookup = (edge: SdkToken): ((id: number) => SdkToken) => {
    const feed = toFeed(edge);
    const tokensById = new Map(
      [...state.tokens.all()].filter(token => belongsToFeed(token, feed)).map(token => [token.id, token]),
    );
    return id => tokensById.get(id) ?? edge;
  };

  const writeBatch = async (
    source: string,
    batch: ReportBatch,
    getToken: (id: number) => SdkToken,
  ): Promise<void> => {
    const merged = makeCountAccumulator(LIMITS, state.hasFeature);
    for (const { token: id, application, hour, features } of batch.buckets) {
      const token = getToken(id);
      const bucket = merged.bucket(token, readText(application) ?? 'unknown', clampHour(hour));
      for (const { name, yes, no, seenAt, variants = {} } of bucket ? features : []) {
        const feature = readText(name, MAX_FEATURE_NAME);
        const counts = bucket && feature !== undefined && merged.counts(token.id, bucket, feature);
        if (!counts || feature === undefined) continue;
        counts.yes += readCount(yes);
        counts.no += readCount(no);
        counts.seenAt = Math.max(counts.seenAt, Math.min(seenAt, Date.now()));
        const reportedFeature = { environment: token.environment ?? '', application, feature };
        for (const [variantName, times] of Object.entries(variants)) {
          const variant = readText(variantName);
          if (variant !== undefined)
            merged.countVariant(token.id, reportedFeature, counts, variant, readCount(times));
        }
      }
    }
    for (const {
      token: id,
      instanceId,
      application,
      sdkVersion,
      strategies = [],
      ...otherFields
    } of batch.instances)
      merged.addInstance({
        ...otherFields,
        token: getToken(id).id,
        environment: getToken(id).environment ?? '',
        application: readText(application) ?? 'unknown',
        instanceId: readText(instanceId) ?? 'default',
        sdkVersion: readText(sdkVersion) ?? null,
        strategies: strategies.map(strategy => readText(strategy)).filter(name => name !== undefined),
        seenAt: Math.min(otherFields.seenAt, Date.now()),
      });
    const { buckets, instances } = merged.take();
    const rows = [...batchRows(buckets, Number.POSITIVE_INFINITY)].flat();
    if (rows.length > 0) await writeEdgeBatch(source, { number: batch.sequence, rows });
    if (instances.length > 0) await recordInstances(db, instances);
  };

  const processReport = async (edge: SdkToken, report: EdgeReport): Promise<EdgeReportResult> => {
    const id = `${edge.id}.${report.edge}`;
    const getToken = makeTokenLookup(edge);
    if (
      !(await upsertEdge(db, id, edge.id, {
        ...report,
        version: readText(report.version) ?? 'unknown',
        epoch: readText(report.epoch) ?? '',
      }))
    )
      throw tooManyRequests('This token has too many edges. Create another token.', RETRY_AFTER_SECONDS);
    for (const tokenId of report.uses) getToken(tokenId).used = true;
    const sightings = keepNewest(
      report.heard.map(sighting => {
        const { environment, projects } = getToken(sighting.token);
        const names = {
          application: readText(sighting.application) ?? 'unknown',
          instance: readText(sighting.instance) ?? 'unknown',
        };
        return {
          ...sighting,
          token: getToken(sighting.token).id,
          id: readText(sighting.id) ?? 'unknown',
          epoch: readText(sighting.epoch) ?? '',
          ...(sighting.application === undefined ? {} : names),
          environment: environment ?? '',
          projects: projects ?? null,
        };
      }),
    );
    const requests = report.requests
      .filter(request => request.environment === edge.environment)
      .map(request => ({ ...request, requests: readCount(request.requests) }));
    const result = await recordEdgeSightings(db, id, edge.environment ?? '', {
      ...report,
      heard: sightings,
      requests,
    });
    if (report.batch) await writeBatch(deriveSource(id), report.batch, getToken);
    return result;
  };

  return async (edge, report) => {
    try {
      return await processReport(edge, report);
    } catch (error) {
      // The response must be a 400, because an edge retries after any other error and would send this report forever.
      if (!isRejectedValue(error)) throw error;
      const rejection = badData([
        { message: 'the database rejected the values in this report', path: '/body' },
      ]);
      throw Object.assign(rejection, { cause: error });
    }
  };
}

/** Keeps one row per instance, because a statement can write each row only once. */
function keepNewest<T extends { token: number; id: string }>(sightings: T[]): T[] {
  return [...new Map(sightings.map(sighting => [`${sighting.token} ${sighting.id}`, sighting])).values()];
}
