import type { Bucket } from '@halyard/plane/counting/merged.ts';

const HOUR_MS = 3_600_000;

/**
 * One row of a batch, with names instead of ids. The row with an empty variant counts the feature itself, and has its last-seen
 * time.
 */
export type NamedCount = {
  feature: string;
  environment: string;
  application: string;
  /** The projects of the tokens that reported it. Undefined for all projects. */
  projects: readonly string[] | undefined;
  /** The token that reported it. */
  token: number;
  /** Milliseconds since 1970. */
  hour: number;
  variant: string;
  yes: number;
  no: number;
  seenAt: number;
};

/** Splits buckets into lists of rows, one at a time, because building all rows in one step would block the server. */
export function* batchRows(buckets: Iterable<Bucket>, rowsPerBatch: number): Generator<NamedCount[]> {
  let rows: NamedCount[] = [];
  for (const { environment, application, projects, token, hour, features } of buckets) {
    for (const [feature, { yes, no, seenAt, variants = [] }] of features) {
      const shared = { feature, environment, application, projects, token, hour: hour * HOUR_MS, seenAt };
      rows.push({ ...shared, variant: '', yes, no });
      for (const [variant, count] of variants) rows.push({ ...shared, variant, yes: count, no: 0 });
      if (rows.length < rowsPerBatch) continue;
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}
