import {
  FilterError,
  parseFilter,
  parseLimit,
  parseOffset,
  parseSearch,
  parseWord,
} from '../../../../../plane/src/platform/http/input/filter.ts';
import { RULES } from '../rules/rules.ts';

export type FindingSearch = {
  rule?: string[];
  feature?: string[];
  /** undefined: snoozed or not */
  snoozed?: boolean;
  offset: number;
  limit: number;
};

type Raw = Omit<FindingSearch, 'snoozed'> & { snoozed: 'true' | 'false' | 'all' };

const PARSERS: { [K in keyof Raw]-?: (value: unknown) => NonNullable<Raw[K]> } = {
  rule: parseRules,
  feature: parseFilter,
  snoozed: value => parseWord(value, ['true', 'false', 'all']),
  offset: parseOffset,
  limit: parseLimit,
};

/** Parses the query parameters of the findings, or rejects them with every violation. */
export function parseFindingSearch(parameters: Record<string, unknown>): FindingSearch {
  const { snoozed, ...search } = parseSearch<Raw>(parameters, PARSERS, {
    snoozed: 'false',
    offset: 0,
    limit: 50,
  });
  return snoozed === 'all' ? search : { ...search, snoozed: snoozed === 'true' };
}

function parseRules(value: unknown): string[] {
  const names = parseFilter(value);
  const known = RULES.map(({ name }): string => name);
  if (names.every(name => known.includes(name))) return names;
  throw new FilterError(`must contain only these rules: ${known.join(', ')}`);
}
