import { isJsonObject, type JsonObject, readCount, readText, toStorable } from './read-body.ts';
import type { Steps } from './turns.ts';

/** Limits for the metrics that applications define, because Prometheus keeps every combination of labels for months. */
const MAX_SERIES = 2_000;
const MAX_SERIES_PER_TOKEN = 500;
/** A series that no SDK updates for this long is forgotten and makes room for others. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_LABELS = 10;
/** How many labels of a sample are read: more than MAX_LABELS, because names that turn into the same label count once. */
const MAX_READ_LABELS = 100;
const MAX_BUCKETS = 50;
const MAX_NAME_LENGTH = 100;
const MAX_LABEL_LENGTH = 100;
/** The number of samples to add before other requests get a turn. */
const SAMPLES_PER_TURN = 500;

const TYPES = ['counter', 'gauge', 'histogram'] as const;
type MetricType = (typeof TYPES)[number];

type Histogram = { count: number; sum: number; buckets: Map<string, number> };
/** The values of a metric with one set of labels. `token` is the token that sent them first. */
type Series = { token: number; updatedAt: number; value: number; histogram: Histogram };
type Heading = { name: string; type: MetricType; help: string };
type Metric = Heading & { series: Map<string, Series> };

export type ImpactMetrics = {
  /** Adds the samples of an SDK. A list that cannot be read is skipped. */
  add: (token: number, list: unknown, now?: number) => Steps;
  /** All metrics in the Prometheus text format. */
  text: (now?: number) => string;
};

/** Collects the metrics that applications define. Each server has only those that it received, and Prometheus adds them up. */
export function makeImpactMetrics(onDropped: (samples: number) => void): ImpactMetrics {
  const metrics = new Map<string, Metric>();
  const seriesCountByToken = new Map<number, number>();
  let total = 0;
  let checkedAt = 0;

  const forgetOld = (now: number): void => {
    checkedAt = now;
    for (const { name, series } of metrics.values()) {
      for (const [labels, { token, updatedAt }] of series) {
        if (now - updatedAt < FORGOTTEN_AFTER_MS) continue;
        series.delete(labels);
        total--;
        seriesCountByToken.set(token, (seriesCountByToken.get(token) ?? 0) - 1);
        if (seriesCountByToken.get(token) === 0) seriesCountByToken.delete(token);
      }
      if (series.size === 0) metrics.delete(name);
    }
  };

  /** Returns undefined if there is no room for another series. */
  const seriesFor = (token: number, heading: Heading, labels: string): Series | undefined => {
    const metric = metrics.get(heading.name);
    const existing = metric?.series.get(labels);
    if (existing) return existing;
    const ownSeries = seriesCountByToken.get(token) ?? 0;
    if (total >= MAX_SERIES || ownSeries >= MAX_SERIES_PER_TOKEN) return undefined;
    total++;
    seriesCountByToken.set(token, ownSeries + 1);
    const series = {
      token,
      updatedAt: 0,
      value: 0,
      histogram: { count: 0, sum: 0, buckets: new Map<string, number>() },
    };
    if (metric) metric.series.set(labels, series);
    else metrics.set(heading.name, { ...heading, series: new Map([[labels, series]]) });
    return series;
  };

  const addSample = (token: number, heading: Heading, sample: JsonObject, now: number): void => {
    const { type } = heading;
    const { value } = sample;
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    if (type !== 'histogram' && !isNumber) return;
    const series = seriesFor(token, heading, formatLabels(sample.labels));
    if (!series) {
      onDropped(1);
      return;
    }
    series.updatedAt = now;
    if (type === 'histogram') addHistogram(series.histogram, sample);
    else if (isNumber) series.value = type === 'counter' ? series.value + Math.max(value, 0) : value;
  };

  return {
    *add(token, list, now = performance.now()) {
      if (!Array.isArray(list)) return;
      if (now - checkedAt > MINUTE_MS) forgetOld(now);
      let itemsRead = 0;
      for (const item of list) {
        const heading = isJsonObject(item) ? readHeading(item) : undefined;
        const samples = heading && Array.isArray(item.samples) ? item.samples : [];
        for (const sample of samples) {
          if (heading && isJsonObject(sample)) addSample(token, heading, sample, now);
          if (++itemsRead % SAMPLES_PER_TURN === 0) yield;
        }
        if (++itemsRead % SAMPLES_PER_TURN === 0) yield;
      }
    },
    text: (now = performance.now()) => {
      forgetOld(now);
      return [...metrics.values()].map(formatMetric).join('');
    },
  };
}

function readHeading(item: JsonObject): Heading | undefined {
  const type = TYPES.find(knownType => knownType === item.type);
  const ownName = readText(item.name, MAX_NAME_LENGTH);
  if (!type || ownName === undefined) return undefined;
  const name = `unleash_${type}_${ownName.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`;
  return { name, type, help: readText(item.help) ?? ownName };
}

function addHistogram(histogram: Histogram, sample: JsonObject): void {
  histogram.count += readCount(sample.count);
  if (typeof sample.sum === 'number' && Number.isFinite(sample.sum)) histogram.sum += sample.sum;
  if (!Array.isArray(sample.buckets)) return;
  for (const bucket of sample.buckets.slice(0, MAX_BUCKETS)) {
    if (!isJsonObject(bucket) || (typeof bucket.le !== 'number' && bucket.le !== '+Inf')) continue;
    const bound = String(bucket.le);
    if (!histogram.buckets.has(bound) && histogram.buckets.size >= MAX_BUCKETS) continue;
    histogram.buckets.set(bound, (histogram.buckets.get(bound) ?? 0) + readCount(bucket.count));
  }
}

/**
 * Formats labels for Prometheus, sorted by name. Prometheus rejects the whole page if a name appears twice, and `le` is reserved
 * for histogram bounds.
 */
function formatLabels(value: unknown): string {
  if (!isJsonObject(value)) return '';
  const labels = new Map<string, string>();
  for (const name of Object.keys(value).slice(0, MAX_READ_LABELS).sort()) {
    const label = toLabelName(name);
    const text = labelText(value[name]);
    if (text !== undefined && labels.size < MAX_LABELS && label !== 'le' && !labels.has(label))
      labels.set(label, text);
  }
  return [...labels].map(([label, text]) => `${label}="${escapeLabel(text)}"`).join(',');
}

function toLabelName(name: string): string {
  const label = name.slice(0, MAX_LABEL_LENGTH).replaceAll(/[^a-zA-Z0-9_]/g, '_') || '_';
  return /^\d/.test(label) ? `_${label}` : label;
}

/**
 * Converts a scalar to a string. Objects cannot be labels, because converting an object calls functions that a request body can
 * replace.
 */
function labelText(value: unknown): string | undefined {
  if (typeof value === 'string') return toStorable(value, MAX_LABEL_LENGTH);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

function formatMetric({ name, type, help, series }: Metric): string {
  const line = (suffix: string, labels: string, value: number): string =>
    `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
  const lines = [...series].flatMap(
    ([
      labels,
      {
        value,
        histogram: { count, sum, buckets },
      },
    ]) =>
      type === 'histogram'
        ? [
            ...[...buckets].map(([bound, bucketCount]) =>
              line('_bucket', [labels, `le="${bound}"`].filter(part => part !== '').join(), bucketCount),
            ),
            line('_sum', labels, sum),
            line('_count', labels, count),
          ]
        : [line('', labels, value)],
  );
  const description = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${description}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
