import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { hasControlCharacter } from '@halyard/plane/platform/http/input/text.ts';
import type { LegalValue } from './schema.ts';

/** Returns the legal values as they are stored. Rejects duplicates and invalid values. */
export function checkLegalValues(legalValues: LegalValue[]): LegalValue[] {
  const details = [...listViolations(legalValues)];
  if (details.length > 0) throw badData(details);
  return legalValues.map(toStoredForm);
}

export function checkLegalValue(legalValue: LegalValue): LegalValue {
  const details = [...findLegalValueViolations(legalValue, '/body/value')];
  if (details.length > 0) throw badData(details);
  return toStoredForm(legalValue);
}

function* listViolations(legalValues: LegalValue[]): Generator<Violation> {
  const seenValues = new Set<string>();
  for (const [index, legal] of legalValues.entries()) {
    const path = `/body/legalValues/${index}/value`;
    yield* findLegalValueViolations(legal, path);
    if (seenValues.has(legal.value))
      yield { message: `value "${legal.value}" is listed more than once; legal values must be unique`, path };
    seenValues.add(legal.value);
  }
}

/** Rejects control characters, because a value that contains one cannot appear in a URL, so it could never be deleted. */
function* findLegalValueViolations({ value }: LegalValue, path: string): Generator<Violation> {
  if (hasControlCharacter(value)) yield { message: 'value must not contain control characters', path };
}

const toStoredForm = ({ value, description }: LegalValue): LegalValue =>
  description === undefined ? { value } : { value, description };
