import { badData, type Violation } from '../../platform/errors.ts';
import { hasControlCharacter } from '../../platform/http/text.ts';
import type { LegalValue } from './schema.ts';

/** The list as it is stored: each value once, and of each nothing but value and description. */
export function checkLegalValues(given: LegalValue[]): LegalValue[] {
  const details = [...listViolations(given)];
  if (details.length > 0) throw badData(details);
  return given.map(stored);
}

export function checkLegalValue(given: LegalValue): LegalValue {
  const details = [...valueViolations(given, '/body/value')];
  if (details.length > 0) throw badData(details);
  return stored(given);
}

function* listViolations(given: LegalValue[]): Generator<Violation> {
  const seen = new Set<string>();
  for (const [index, legal] of given.entries()) {
    const path = `/body/legalValues/${index}/value`;
    yield* valueViolations(legal, path);
    if (seen.has(legal.value)) yield { message: `the value ${legal.value} is listed twice`, path };
    seen.add(legal.value);
  }
}

/** A value with control characters could not be named in an address, and so not be deleted. */
function* valueViolations({ value }: LegalValue, path: string): Generator<Violation> {
  if (hasControlCharacter(value)) yield { message: 'value must not hold control characters', path };
}

const stored = ({ value, description }: LegalValue): LegalValue =>
  description === undefined ? { value } : { value, description };
