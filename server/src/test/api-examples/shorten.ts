import type { RecordedBodies } from './recorder.ts';

/** Two items are enough to show what a list looks like. */
const MAX_ITEMS = 2;
const MAX_STRING_LENGTH = 300;

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const SECRET = /\b(hy[cefilprsw]_|whsec_)[\w+/=-]{20,}/g;
const HINT = /…\w{4}$/;
const RECEIVER = /http:\/\/127\.0\.0\.1:\d+(?=\/hook|\/\*)/g;
const PROVIDER = /http:\/\/127\.0\.0\.1:\d+/g;

/** Replacements for values that differ from run to run. */
const REPLACED_VALUES: Record<string, unknown> = {
  requestUri: '/ofrep/v1/events/6t1sC2aDxX_NhUKS5GUU3ilmNcEU5TaE',
  etag: '"a97eb46640.06298fc131.20"',
  node: '24.7.0',
  platform: 'linux x64',
  cpus: 2,
  uptimeSeconds: 86_400,
  residentBytes: 128_974_848,
  heapBytes: 61_865_984,
  bytes: 14_130_535,
  migrations: 46,
  newestMigration: '0054_groups_of_feature_owners',
  availableConnections: 97,
  postgresVersion: '18.1',
  connections: [{ name: 'halyard', open: 6, active: 1 }],
  durationMs: 54,
  age: 1.5,
  p50Ms: 58,
  p95Ms: 99,
  bodySha256: '9e388f10c13adf2fb4211d0fa43e281bcd6b34fd1a162b5d3ea76c132af4a645',
};

/**
 * Returns the examples for the document: the recorded responses with shortened lists, and with values that are the same in every
 * run.
 */
export function toExamples(recorded: RecordedBodies): RecordedBodies {
  const uuids = new Map<string, string>();
  const replaceUuid = (uuid: string): string => {
    if (!uuids.has(uuid))
      uuids.set(uuid, `6c1c8f2e-3b0f-4a0e-9a57-${String(uuids.size + 1).padStart(12, '0')}`);
    return String(uuids.get(uuid));
  };
  const shortenString = (value: string): string =>
    (DAY.test(value) ? '2026-11-15' : value)
      .replaceAll(TIME, time => (time.startsWith('2030') ? time : '2026-11-15T09:30:00.000Z'))
      .replaceAll(UUID, replaceUuid)
      .replaceAll(SECRET, (_, prefix) => `${prefix}${'x'.repeat(49)}`)
      .replace(HINT, '…0y54')
      .replaceAll(RECEIVER, 'https://hooks.example.com')
      .replaceAll(PROVIDER, 'https://login.example.com')
      .slice(0, MAX_STRING_LENGTH);
  const shorten = (value: unknown): unknown => {
    if (typeof value === 'string') return shortenString(value);
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        key in REPLACED_VALUES ? REPLACED_VALUES[key] : shorten(item),
      ]),
    );
  };
  return Object.fromEntries(
    Object.entries(recorded)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([operation, body]) => [operation, shorten(body)]),
  );
}
