const MIN_TIME_MS = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** PostgreSQL rejects offsets of 16 hours and more. */
const TOO_LARGE_OFFSET = /[+-](?:1[6-9]|2\d):?\d\d$/;

type Format = { validate(text: string): boolean };
type Ajv = { formats: object; addFormat(name: string, format: Format): unknown };

/**
 * Restricts the format `date-time` to times that PostgreSQL can store and that JavaScript can read back. The standard format also
 * allows leap seconds, and times whose year in UTC is 0 or 10000.
 */
export function restrictDateTimes(ajv: Ajv): void {
  const { 'date-time': standard } = ajv.formats as { 'date-time': Format };
  ajv.addFormat('date-time', {
    validate: text => standard.validate(text) && !TOO_LARGE_OFFSET.test(text) && isInRange(Date.parse(text)),
  });
}

const isInRange = (ms: number): boolean => ms >= MIN_TIME_MS && ms <= MAX_TIME_MS;
