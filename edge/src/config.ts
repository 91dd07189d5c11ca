import { readFileSync } from 'node:fs';
import { type Enrolment, keysOf, readEnrolment } from '../../plane/src/feed/enrolment.ts';
import type { NatsSettings } from '../../plane/src/feed/nats.ts';

export type EdgeConfig = {
  enrolment: Enrolment;
  /** Where the edge keeps its feed and unsent metrics. Undefined: in memory only. */
  dataDir: string | undefined;
  host: string;
  port: number;
  maxStreams: number;
  trustedProxies: string[];
  /** Required to read /metrics, if it is set. */
  metricsToken: string | undefined;
  /** Where the feed is read, besides the server. Undefined: nowhere. */
  nats?: NatsSettings | undefined;
};

/** Lists every problem with the environment variables. */
export class EdgeConfigError extends Error {}

const PORT = { default: 4242, most: 65_535 };
const STREAMS = { default: 10_000, most: 1_000_000 };

export function readEdgeConfig(env: NodeJS.ProcessEnv): EdgeConfig {
  const problems: string[] = [];
  const attempt = <T>(name: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const text = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    const value = file ? attempt(`${name}_FILE`, () => readFileSync(file, 'utf8')) : env[name];
    return value?.trim() || undefined;
  };
  const whole = (name: string, { default: otherwise, most }: typeof PORT): number => {
    const value = Number(text(name) ?? otherwise);
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    problems.push(`${name} must be a whole number from 0 to ${most}`);
    return otherwise;
  };
  const given = text('HALYARD_EDGE_ENROLMENT');
  if (given === undefined)
    problems.push(
      'HALYARD_EDGE_ENROLMENT is required. To get an enrolment, create a token of type edge on the server.',
    );
  const enrolment =
    given === undefined ? undefined : attempt('HALYARD_EDGE_ENROLMENT', () => readEnrolment(given));
  if (enrolment) attempt('HALYARD_EDGE_ENROLMENT', () => keysOf(enrolment.keys));
  const url = text('HALYARD_EDGE_UPSTREAM') ?? enrolment?.url ?? '';
  if (enrolment && !/^https?:\/\//.test(url))
    problems.push('HALYARD_EDGE_UPSTREAM must start with http:// or https://');
  const natsUrl = text('HALYARD_EDGE_NATS_URL');
  if (natsUrl?.split(',').some(one => !/^(nats|tls):\/\/[^/]+$/.test(one.trim())))
    problems.push(
      'HALYARD_EDGE_NATS_URL must have URLs like tls://nats.example.com:4222, separated by commas',
    );
  const nkey = text('HALYARD_EDGE_NATS_NKEY');
  if (nkey !== undefined && !/^SU[A-Z2-7]{56}$/.test(nkey))
    problems.push(
      'HALYARD_EDGE_NATS_NKEY must be the seed of a user nkey, which is SU and 56 more characters',
    );
  const config = {
    nats: natsUrl === undefined ? undefined : { url: natsUrl, nkey },
    dataDir: text('HALYARD_DATA_DIR'),
    host: text('HOST') ?? '127.0.0.1',
    port: whole('PORT', PORT),
    maxStreams: whole('HALYARD_MAX_STREAMS', STREAMS),
    trustedProxies: (text('HALYARD_TRUSTED_PROXIES') ?? '').split(',').flatMap(one => one.trim() || []),
    metricsToken: text('HALYARD_METRICS_TOKEN'),
  };
  if (!enrolment || problems.length > 0) throw new EdgeConfigError(problems.join('\n'));
  return { ...config, enrolment: { ...enrolment, url: url.replace(/\/+$/, '') } };
}
