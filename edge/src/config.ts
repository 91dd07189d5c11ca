import { readFileSync } from 'node:fs';
import { type Enrolment, parseTrustedKeys, readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import type { NatsSettings } from '@halyard/plane/feed/nats.ts';

export type EdgeConfig = {
  enrolment: Enrolment;
  /** Where the edge keeps its feed and unsent metrics. Undefined to keep them only in memory. */
  dataDir: string | undefined;
  host: string;
  port: number;
  maxStreams: number;
  trustedProxies: string[];
  /** The token that /metrics requires. Undefined if it requires none. */
  metricsToken: string | undefined;
  /** The NATS servers to read the feed from. Undefined to read it only from upstream. */
  nats?: NatsSettings | undefined;
};

/** Lists every problem with the environment variables. */
export class EdgeConfigError extends Error {}

const PORT = { default: 4242, max: 65_535 };
const STREAMS = { default: 10_000, max: 1_000_000 };

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
  const readText = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    if (!file) return env[name]?.trim() || undefined;
    return attempt(`${name}_FILE`, () => {
      const value = readFileSync(file, 'utf8').trim();
      if (value === '') throw new Error(`the file "${file}" is empty`);
      return value;
    });
  };
  const readInteger = (name: string, { default: fallback, max }: typeof PORT): number => {
    const value = Number(readText(name) ?? fallback);
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    problems.push(`${name} must be a whole number from 0 to ${max}`);
    return fallback;
  };
  const enrolmentString = readText('HALYARD_EDGE_ENROLMENT');
  if (enrolmentString === undefined && problems.length === 0)
    problems.push(
      'HALYARD_EDGE_ENROLMENT is required. To get an enrolment, create a token of type edge on the server.',
    );
  const enrolment =
    enrolmentString === undefined
      ? undefined
      : attempt('HALYARD_EDGE_ENROLMENT', () => readEnrolment(enrolmentString));
  if (enrolment) attempt('HALYARD_EDGE_ENROLMENT', () => parseTrustedKeys(enrolment.keys));
  const url = readText('HALYARD_EDGE_UPSTREAM') ?? enrolment?.url ?? '';
  if (enrolment && !/^https?:\/\//.test(url))
    problems.push('HALYARD_EDGE_UPSTREAM must start with http:// or https://');
  const natsUrl = readText('HALYARD_EDGE_NATS_URL');
  if (natsUrl?.split(',').some(part => !/^(nats|tls):\/\/[^/]+$/.test(part.trim())))
    problems.push(
      'HALYARD_EDGE_NATS_URL must be a comma-separated list of URLs like tls://nats.example.com:4222',
    );
  const nkey = readText('HALYARD_EDGE_NATS_NKEY');
  if (nkey !== undefined && !/^SU[A-Z2-7]{56}$/.test(nkey))
    problems.push('HALYARD_EDGE_NATS_NKEY must be the seed of a user nkey: SU followed by 56 characters');
  const config = {
    nats: natsUrl === undefined ? undefined : { url: natsUrl, nkey },
    dataDir: readText('HALYARD_DATA_DIR'),
    host: readText('HOST') ?? '127.0.0.1',
    port: readInteger('PORT', PORT),
    maxStreams: readInteger('HALYARD_MAX_STREAMS', STREAMS),
    trustedProxies: (readText('HALYARD_TRUSTED_PROXIES') ?? '')
      .split(',')
      .flatMap(proxy => proxy.trim() || []),
    metricsToken: readText('HALYARD_METRICS_TOKEN'),
  };
  if (!enrolment || problems.length > 0) throw new EdgeConfigError(problems.join('\n'));
  return { ...config, enrolment: { ...enrolment, url: url.replace(/\/+$/, '') } };
}
